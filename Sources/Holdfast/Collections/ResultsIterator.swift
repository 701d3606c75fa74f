import HoldfastRows

/// A walk over the elements of a realm's collection: those that there were at its start.
///
/// An object that was deleted since is invalidated.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// The objects of a realm, which are made one by one.
    private struct Objects {
        let realm: RealmCore
        let binding: ClassBinding
        let found: ResultsCore.Found
    }

    private let objects: Objects?
    private let values: [Element]
    private var position = 0

    init(_ values: [Element]) {
        objects = nil
        self.values = values
    }

    init(_ core: ResultsCore) {
        let found = core.objects
        guard case .elements(let place) = core.base else {
            objects = Objects(realm: core.realm, binding: core.binding, found: found)
            values = []
            return
        }
        objects = nil
        // Their positions change with the collection.
        values = found.keys.map { Element._decode(place.element(Int($0))) }
    }

    /// The next element.
    public mutating func next() -> Element? {
        defer { position += 1 }
        guard let objects else { return position < values.count ? values[position] : nil }
        guard position < objects.found.keys.count else { return nil }
        let key = objects.found.keys[position]
        if key == ResultsBase.null { return Element._unset() }
        var row: RowView?
        if let rows = objects.found.rows,
            objects.found.generation == objects.realm.state.pointee.generation
        {
            row = RowView(unchecked: rows[position])
        }
        return Element._of(objects.realm.object(objects.binding, key: key, row: row))
    }
}
