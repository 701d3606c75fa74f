/// A property to sort by, and the direction.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The way to the property, through to-one links.
    public let keyPath: String
    /// Whether small values come first.
    public let ascending: Bool

    /// Sorts by the property of a name or path.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by the property of a key path.
    public init<Root: ObjectBase, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool = true) {
        self.init(
            keyPath: KeyPathNames.names(of: keyPath).joined(separator: "."), ascending: ascending)
    }

    /// Sorts by the property of a name, small values first.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// The same in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension Results {
    /// The same objects in an order: by the first descriptor, objects of equal values by the next.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        let list = descriptors.map { (keyPath: $0.keyPath, isAscending: $0.ascending) }
        do { return Results(try core.sorted(list)) } catch {
            let paths = list.map(\.keyPath).joined(separator: ", ")
            Misuse.end("Cannot sort on key path '\(paths)': \(error.message)")
        }
    }

    /// The same objects, sorted by a property.
    public func sorted<Value: _Persistable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> {
        sorted(byKeyPath: Self.name(keyPath), ascending: ascending)
    }

    /// The first object of each combination of values.
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        distinct(by: keyPaths.map { KeyPathNames.names(of: $0).joined(separator: ".") })
    }

    /// The position of an object; nil where it is not among them.
    public func index(of object: Element) -> Int? {
        guard let place = object.place, place.realm === core.realm else { return nil }
        return core.keys.firstIndex(of: place.key)
    }

    /// The position of the first object that meets a condition.
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        self.where(condition).core.keys.first.flatMap { core.keys.firstIndex(of: $0) }
    }

    /// The position of the first object that meets a condition in the query language.
    public func index(matching text: String, _ arguments: Any...) -> Int? {
        do {
            let found = try core.filtered(text, QueryArguments.values(arguments, text))
            return found.keys.first.flatMap { core.keys.firstIndex(of: $0) }
        } catch {
            Misuse.end("\(error)")
        }
    }
}
