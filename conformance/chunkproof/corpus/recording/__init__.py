"""A live stream as it arrives: where each read of the socket ended, and when."""

from .recording import Recording, describe, record
from .request import RecordingError, read_headers

__all__ = ["Recording", "RecordingError", "describe", "read_headers", "record"]
