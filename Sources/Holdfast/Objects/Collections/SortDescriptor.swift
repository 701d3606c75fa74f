/// A property to sort by, and the direction.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The path to the property, through to-one links.
    public let keyPath: String
    /// Whether values are sorted in ascending order.
    public let ascending: Bool

    /// Sorts by the property of a name or path.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by the property of a key path.
    public init<Root: _ObjectView>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathNames.text(of: keyPath), ascending: ascending)
    }

    /// Sorts by the property of a name, small values first.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// The path and the direction.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }

    /// The same in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}
