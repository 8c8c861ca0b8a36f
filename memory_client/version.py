"""The version of both packages; they are released together."""

VERSION = "0.1.0"
