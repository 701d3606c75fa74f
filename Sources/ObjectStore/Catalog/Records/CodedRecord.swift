import HoldfastBytes

/// A record with one function that writes and reads its fields.
protocol CodedRecord {
    /// Writes or reads the fields, the form of the record first; fails for a form that this program does not know.
    mutating func code(_ coder: inout RecordCoder)
}

extension CodedRecord {
    func append(to buffer: ByteBuffer) {
        var copy = self
        var coder = RecordCoder(to: buffer)
        copy.code(&coder)
    }

    /// Reads the fields.
    ///
    /// - Returns: Whether they are whole, and nothing is left behind them.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var coder = RecordCoder(bytes)
        code(&coder)
        return !coder.isDamaged && coder.isAtEnd
    }

    /// Writes the one form that there is, or reads it and fails where it is another one.
    static func code(form: UInt8, _ coder: inout RecordCoder) {
        var found = form
        coder.code(&found)
        if found != form { coder.fail() }
    }
}
