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

    /// Writes an array with an element for each value, which `body` writes.
    package func array<Values: Sequence>(
        of values: Values, _ body: (Values.Element, JSONWriter) -> Void
    ) {
        array { array in
            for value in values { body(value, array.element()) }
        }
    }

    /// Writes an array with an object for each value, whose members `body` adds.
    package func objects<Values: Sequence>(
        of values: Values, _ body: (Values.Element, inout JSONObjectWriter) -> Void
    ) {
        array(of: values) { value, writer in writer.object { body(value, &$0) } }
    }

    /// Writes an array of strings.
    package func strings(_ texts: some Sequence<String>) {
        array(of: texts) { $1.string($0) }
    }
}
