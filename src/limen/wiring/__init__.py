"""Parts of the wiring that are long enough to stand for themselves; `runtime.py` joins them and owns their lifetimes."""
