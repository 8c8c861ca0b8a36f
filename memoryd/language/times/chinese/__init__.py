"""The grammar of Chinese time expressions."""
