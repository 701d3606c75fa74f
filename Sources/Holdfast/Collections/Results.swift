import HoldfastQuery
import HoldfastRows

/// Objects of a class: all, or those that meet a condition, in the order that was asked for.
///
/// Results are live: they show the realm's present version, and inside a write its changes. They are found when they are first
/// looked at. A `Results` belongs to the thread of its realm.
public struct Results<Element: Object> {
    let core: ResultsCore

    init(_ core: ResultsCore) { self.core = core }

    /// The realm that the objects belong to; nil after it was invalidated.
    public var realm: Realm? { isInvalidated ? nil : Realm(core.realm) }

    /// Whether the realm was invalidated since.
    public var isInvalidated: Bool { core.realm.isInvalidated }

    /// The objects that meet a condition in the query language.
    ///
    ///     realm.objects(Dog.self).filter("age > $0 AND name BEGINSWITH 'R'", 3)
    ///
    /// A text that does not parse ends the process: for texts from outside there is ``filter(validating:_:)``.
    public func filter(_ text: String, _ arguments: Any...) -> Results<Element> {
        do { return Results(try core.filtered(text, QueryArguments.values(arguments, text))) } catch
        {
            Misuse.end("\(error)")
        }
    }

    /// The objects that meet a condition in a text from outside.
    ///
    /// - Throws: ``InvalidQuery`` with the column and, where there is one, a hint.
    public func filter(validating text: String, _ arguments: Any...) throws -> Results<Element> {
        Results(try core.filtered(text, QueryArguments.values(arguments, text)))
    }

    /// The same objects, sorted by a property or a path through to-one links. The sort is stable.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        do { return Results(try core.sorted([(keyPath, ascending)])) } catch {
            Misuse.end("Cannot sort on key path '\(keyPath)': \(error.message)")
        }
    }

    /// The first object of each combination of values, in the present order.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<Element> {
        do { return Results(try core.distinct(Array(keyPaths))) } catch {
            Misuse.end("Cannot distinct on key paths: \(error.message)")
        }
    }
}

extension Results: RandomAccessCollection, LazyCollectionProtocol {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last object.
    public var endIndex: Int { count }
    /// The number of objects. Cost: a look at an index where the condition has one, else a scan.
    public var count: Int { core.count }

    /// The object at a position.
    public subscript(position: Int) -> Element {
        // The results are of the element's own class.
        unsafeDowncast(core.object(position), to: Element.self)
    }

    /// The first object; nil when there is none.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The last object; nil when there is none.
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// Walks the objects that there are now, whatever is written meanwhile.
    public func makeIterator() -> ResultsIterator<Element> { ResultsIterator(core) }
}

/// A walk over the objects of `Results`: those that there were at its start.
public struct ResultsIterator<Element: Object>: IteratorProtocol {
    private let realm: RealmCore
    private let binding: ClassBinding
    private let objects: ResultsCore.Found
    private var position = 0

    init(_ core: ResultsCore) {
        realm = core.realm
        binding = core.binding
        objects = core.objects
    }

    /// The next object; one that was deleted since is invalidated.
    public mutating func next() -> Element? {
        guard position < objects.keys.count else { return nil }
        defer { position += 1 }
        var row: RowView?
        if let rows = objects.rows, objects.generation == realm.state.pointee.generation {
            row = RowView(unchecked: rows[position])
        }
        let object = realm.object(binding, key: objects.keys[position], row: row)
        // The binding is of the element's own class.
        return unsafeDowncast(object, to: Element.self)
    }
}
