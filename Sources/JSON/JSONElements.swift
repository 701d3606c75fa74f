/// The elements of an array, or the names and values of an object, in order; none of any other value. Needs no memory.
public struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline var position: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer
    @usableFromInline let source: UnsafeRawPointer

    @inlinable init(of value: JSONValue, _ kind: JSONValue.Kind) {
        position = value.kind == kind ? value.entry + JSONValue.entryByteCount : value.end
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
