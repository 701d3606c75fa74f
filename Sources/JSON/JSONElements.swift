/// The elements of an array, in order; none of any other value. Needs no memory.
package struct JSONElements: Sequence, IteratorProtocol {
    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer
    private let source: UnsafeRawPointer

    init(of value: JSONValue) {
        position = value.kind == .array ? value.entry + JSONValue.entryByteCount : value.end
        end = value.end
        source = value.source
    }

    /// The next element, or nil behind the last.
    package mutating func next() -> JSONValue? {
        guard position != end else { return nil }
        let value = JSONValue(entry: position, source: source)
        position = value.end
        return value
    }
}
