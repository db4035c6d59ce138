#!/bin/bash -eu
# Run in the image by ClusterFuzzLite and OSS-Fuzz, in the folder of the project: puts all that they run into $OUT.
pip3 install .

for harness in .clusterfuzzlite/fuzz_*.py; do
  name=$(basename -s .py "$harness")
  target=$(sed -n 's/^TARGET = "\(.*\)"$/\1/p' "$harness")
  compile_python_fuzzer "$harness"
  cp ".clusterfuzzlite/$name.options" "$OUT/"
  # The texts of the parser's own code are words of the dictionary; the stored cases of chunkproof are the first inputs.
  python3 -m chunkproof fuzz seeds --target "$target" --out "$WORK/$name"
  cp "$WORK/$name/dictionary" "$OUT/$name.dict"
  python3 -m zipfile --create "$OUT/${name}_seed_corpus.zip" "$WORK/$name/seeds/"
done
