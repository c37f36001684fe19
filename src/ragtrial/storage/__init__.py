"""Files that several processes share and that survive being killed: the LMDB database and what names its values."""
