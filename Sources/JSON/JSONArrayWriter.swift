/// Writes the elements of an array, with commas between them.
public struct JSONArrayWriter {
    private let writer: JSONWriter
    private var isEmpty = true

    init(writer: JSONWriter) { self.writer = writer }

    /// Begins an element; exactly one value has to be written with the result.
    package mutating func element() -> JSONWriter {
        if !isEmpty { writer.comma() }
        isEmpty = false
        return writer
    }
}
