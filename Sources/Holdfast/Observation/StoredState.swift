import HoldfastObjectStore
import HoldfastRows

/// An object in one view, independent of its realm's view.
struct StoredState {
    let row: RowView
    let rowClass: RowClass
    let view: StoreView

    /// Nil if the object does not exist in the view.
    ///
    /// - `owners`: The path to an embedded object in the view.
    init?(
        _ place: ObjectReference, _ owners: [EditPath.Owner], in view: StoreView
    ) throws(StoreError) {
        guard let rootClass = view.rows.rowClass(named: place.rootClass.definition.name),
            let root = try view.find(rootClass, key: place.key),
            let found = rootClass.embedded(along: owners, in: root, of: view.rows, view)
        else { return nil }
        (rowClass, row) = found
        self.view = view
    }

    /// The position of a property by its stored name; nil if the class lacks it.
    func member(_ columnName: String) -> Int? { rowClass.names.position(of: columnName) }

    /// Whether a property differs from that of a later state.
    func differs(_ columnName: String, from later: StoredState) -> Bool {
        guard let own = member(columnName), let other = later.member(columnName) else {
            return false
        }
        return rowClass.differs(
            own, from: (row, view), to: (later.row, later.view), other, of: later.rowClass)
    }
}
