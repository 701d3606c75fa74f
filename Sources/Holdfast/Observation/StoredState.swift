import HoldfastObjectStore
import HoldfastRows

/// An object in one view, wherever its realm is.
struct StoredState {
    let row: RowView
    let rowClass: RowClass
    let view: ReadTransaction

    /// Nil when the object is not there.
    ///
    /// - `owners`: The way to an embedded object in the view.
    init?(
        _ place: ObjectPlace, _ owners: [EditPath.Owner], in view: ReadTransaction
    ) throws(StoreError) {
        guard let rootClass = view.rows.rowClass(named: place.rootClass.definition.name),
            let root = try view.find(rootClass, key: place.key)
        else { return nil }
        var (row, rowClass) = (root, rootClass)
        for owner in owners {
            guard let next = Self.embedded(owner, rowClass, row, view) else { return nil }
            row = next
            rowClass = view.rows.classes[rowClass.members[owner.member].classIndex]
        }
        self.row = row
        self.rowClass = rowClass
        self.view = view
    }

    private static func embedded(
        _ owner: EditPath.Owner, _ rowClass: RowClass, _ row: RowView, _ view: ReadTransaction
    ) -> RowView? {
        guard let element = owner.element else { return rowClass.embedded(owner.member, in: row) }
        let collection = rowClass.collection(owner.member, in: row, view)
        let index: Int?
        switch element {
        case .index(let position): index = position
        case .key(let key): index = key.withUnsafeBytes { collection.index(ofKey: $0) }
        case .end: index = nil
        }
        guard let index, let found = collection.element(index), !found.part.isNull(found.offset)
        else { return nil }
        return RowView(found.part.bytes(found.offset))
    }

    /// The position of a property by the name under which it is stored; nil where the class lacks it.
    func member(_ columnName: String) -> Int? { rowClass.memberIndex[columnName] }

    /// Whether a property differs from that of a later state.
    func differs(_ columnName: String, from later: StoredState) -> Bool {
        guard let own = member(columnName), let other = later.member(columnName) else {
            return false
        }
        return rowClass.differs(
            own, from: (row, view), to: (later.row, later.view), other, of: later.rowClass)
    }
}
