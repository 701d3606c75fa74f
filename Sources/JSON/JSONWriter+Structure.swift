extension JSONWriter {
    /// Writes an object whose members `body` adds.
    public func object<Failure>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        raw("{")
        var object = JSONObjectWriter(writer: self)
        try body(&object)
        raw("}")
    }

    /// Writes an array whose elements `body` adds.
    public func array<Failure>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        raw("[")
        var array = JSONArrayWriter(writer: self)
        try body(&array)
        raw("]")
    }
}
