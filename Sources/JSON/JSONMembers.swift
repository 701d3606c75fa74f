/// The members of an object, in order; none of any other value. Needs no memory.
public struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline var position: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer
    @usableFromInline let source: UnsafeRawPointer

    @inlinable init(of value: JSONValue) {
        position = value.kind == .object ? value.entry + JSONValue.entryByteCount : value.end
        end = value.end
        source = value.source
    }

    /// The next member, or nil behind the last.
    @inlinable public mutating func next() -> JSONMember? {
        guard position != end else { return nil }
        let name = JSONValue(entry: position, source: source)
        let value = JSONValue(entry: position + JSONValue.entryByteCount, source: source)
        position = value.end
        return JSONMember(name: name.text, value: value)
    }
}
