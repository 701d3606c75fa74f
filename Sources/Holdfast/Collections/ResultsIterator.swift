import HoldfastRows

/// A walk over the elements that a realm's collection had at the start.
///
/// An object that has been deleted meanwhile is invalidated.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// The objects of a realm, made one by one. A class, so that taking one object counts one reference.
    private final class Objects {
        let realm: RealmCore
        let binding: ClassBinding
        let found: ResultsCore.Found

        init(_ core: ResultsCore) {
            realm = core.realm
            binding = core.binding
            found = core.objects
        }

        func object(_ position: Int) -> ObjectBase {
            var row: RowView?
            if let rows = found.rows, found.generation == realm.state.pointee.generation {
                row = RowView(unchecked: rows[position])
            }
            return realm.object(binding, key: found.keys[position], row: row)
        }
    }

    private let objects: Objects?
    private let values: [Element]
    private var position = 0

    init(_ values: [Element]) {
        objects = nil
        self.values = values
    }

    init(_ core: ResultsCore) {
        guard !core.hasObjectKeys else {
            objects = Objects(core)
            values = []
            return
        }
        objects = nil
        // Their positions change with the collection.
        values = core.keys.map { core.element(ofKey: $0) }
    }

    /// The next element.
    public mutating func next() -> Element? {
        defer { position += 1 }
        guard let objects else { return position < values.count ? values[position] : nil }
        guard position < objects.found.keys.count else { return nil }
        if objects.found.keys[position] == ResultsBase.null { return Element._unset() }
        return Element._of(objects.object(position))
    }
}
