/// Writes the members of an object, with commas between them.
///
///     writer.object { problem in
///         problem.member("code").string("object-not-found")
///         problem.member("errors").array { errors in errors.element().int(7) }
///     }
public struct JSONObjectWriter {
    private let writer: JSONWriter
    private var isEmpty = true

    init(writer: JSONWriter) { self.writer = writer }

    /// Begins a member; exactly one value has to be written with the result.
    ///
    /// - Parameter name: Holds nothing that needs an escape.
    /// - Returns: The writer for the value.
    package mutating func member(_ name: StaticString) -> JSONWriter {
        separate()
        writer.key(name)
        return writer
    }

    /// Begins a member whose name may need escapes; exactly one value has to be written with the
    /// result.
    package mutating func member(named name: String) -> JSONWriter {
        separate()
        writer.key(name)
        return writer
    }

    private mutating func separate() {
        if !isEmpty { writer.comma() }
        isEmpty = false
    }
}
