/// The members of an object, in order; none of any other value. Needs no memory.
public struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline var entries: JSONElements

    @inlinable init(of value: JSONValue) { entries = JSONElements(of: value, .object) }

    /// The next member, or nil behind the last.
    @inlinable public mutating func next() -> JSONMember? {
        guard let name = entries.next(), let value = entries.next() else { return nil }
        return JSONMember(name: name.text, value: value)
    }
}
