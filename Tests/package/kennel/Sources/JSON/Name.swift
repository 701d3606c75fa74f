/// Nothing of the library's.
public let name = "JSON"
