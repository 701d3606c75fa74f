import HoldfastObjectStore
import HoldfastRows

/// The elements of a list or set.
final class FollowedElements: FollowedCollection {
    private let place: CollectionReference
    /// The observed paths of the elements; nil for values.
    private let paths: ObservedPaths?
    private let keyPaths: [String]?
    private var object: TrackedObject

    init(_ place: CollectionReference, _ keyPaths: [String]?) {
        self.place = place
        self.keyPaths = keyPaths
        object = TrackedObject(place.place)
        paths = place.targetModel.map { ObservedPaths($0, keyPaths) }
    }

    func load(in view: StoreView) -> Bool {
        object = TrackedObject(place.place)
        return !place.isInvalidated
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let states = try object.advance(step)
        guard let old = states.old, let oldMember = old.member(place.columnName) else {
            return ListDifference([])
        }
        let before = old.rowClass.collection(oldMember, in: old.row, step.before)
        guard let new = states.new, let member = new.member(place.columnName) else {
            return ListDifference(
                deletions: Array(0..<before.count), insertions: [], modifications: [])
        }
        let storage = new.rowClass.members[member].storage
        let linked = ElementChanges(storage.element, paths, step, place.realm)
        let isOther = old.differs(place.columnName, from: new)
        if !isOther, linked == nil { return ListDifference([]) }
        let after = new.rowClass.collection(member, in: new.row, step.after)
        var changed: [Int] = []
        if let linked {
            after.forEach(within: nil) { part, offset, index in
                if !part.isNull(offset), linked.contain(part.bytes(offset)) {
                    changed.append(index)
                }
                return true
            }
        }
        if !isOther { return ListDifference([], changed: changed) }
        if storage.shape == .set { return Self.ofSets(before, after, Set(changed)) }
        var difference: ListDifference
        if place.place.owners.isEmpty, let changes = step.changes,
            let edits = changes.changes.edits(ofList: member, of: place.place.identity),
            !edits.isReplaced
        {
            difference = ListDifference(edits.splices, changed: changed)
        } else {
            difference = ListDifference(
                from: before.elementBytes(within: nil), to: after.elementBytes(within: nil),
                changed: changed)
        }
        if storage.element == .embedded {
            difference = difference.withoutModifications { index, newIndex in
                self.isSameEmbedded((before, index, step.before), (after, newIndex, step.after))
            }
        }
        return difference
    }

    /// Compares two sets; each element occurs once in a set.
    private static func ofSets(
        _ before: StoredCollection, _ after: StoredCollection, _ changed: Set<Int>
    ) -> ListDifference {
        let old = before.elementBytes(within: nil).map(Array.init)
        let new = after.elementBytes(within: nil).map(Array.init)
        let positions = Dictionary(
            new.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(old)
        return ListDifference(
            deletions: old.indices.filter { positions[old[$0]] == nil },
            insertions: new.indices.filter { !known.contains(new[$0]) },
            modifications: old.indices.filter { index in
                positions[old[index]].map(changed.contains) ?? false
            })
    }

    /// Whether no observed property of an embedded object has changed.
    private func isSameEmbedded(
        _ old: (list: StoredCollection, index: Int, view: StoreView),
        _ new: (list: StoredCollection, index: Int, view: StoreView)
    ) -> Bool {
        guard let a = old.list.element(old.index), let b = new.list.element(new.index),
            !a.part.isNull(a.offset), !b.part.isNull(b.offset),
            let oldRow = RowView(a.part.bytes(a.offset)),
            let newRow = RowView(b.part.bytes(b.offset)), let model = place.targetModel
        else { return false }
        let rowClass = place.realm.schema.rowClass(of: model)
        let names = keyPaths.flatMap { $0.isEmpty ? nil : Set($0.compactMap { Self.first($0) }) }
        return model.fields.allSatisfy { field in
            if let names, !names.contains(field.name), !names.contains("*") { return true }
            guard let member = rowClass.names.position(of: field.columnName) else { return true }
            return !rowClass.differs(member, from: (oldRow, old.view), to: (newRow, new.view))
        }
    }

    private static func first(_ keyPath: String) -> String? {
        keyPath.split(separator: ".").first.map { String($0) }
    }
}

extension [UInt8] {
    /// The bytes of an element. No value has the same bytes as null.
    fileprivate init(_ element: UnsafeRawBufferPointer?) { self = element.map { [1] + $0 } ?? [0] }
}
