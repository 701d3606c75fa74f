/// The elements of an array, in order; none of any other value. Needs no memory.
public struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline var position: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer
    @usableFromInline let source: UnsafeRawPointer

    @inlinable init(of value: JSONValue) {
        position = value.kind == .array ? value.entry + JSONValue.entryByteCount : value.end
        end = value.end
        source = value.source
    }

    /// The next element, or nil behind the last.
    @inlinable public mutating func next() -> JSONValue? {
        guard position != end else { return nil }
        let value = JSONValue(entry: position, source: source)
        position = value.end
        return value
    }
}
