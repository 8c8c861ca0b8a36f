"""How the files of multilingual-e5-small that ship with the package are made."""
