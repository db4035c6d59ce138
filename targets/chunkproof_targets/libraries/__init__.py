"""Real libraries as targets: one small module for each, with one function ``parse(chunks)``.

``parse`` is a generator over an iterable of chunks of bytes that yields the library's own objects, unaltered. Each
module says what of the library it uses, what it bypasses, and on which version that was looked up. There is no network
and no thread in any of them. Nothing here imports a library: that happens when its module is imported. The names that
``--target`` takes for them stand in `chunkproof_targets.registry`.
"""
