import HoldfastObjectStore
import HoldfastRows

/// Follows nested values from one version to a later one: elements of lists, embedded objects and the values of an
/// `AnyRealmValue`, also in one another.
///
/// Both views have the same schema.
struct NestedPathTracker {
    let before: StoreView
    let after: StoreView
    /// The changes, with the edits of lists; nil if lists are only compared by their elements.
    let changes: FoldedChanges?
    /// Whether there is nothing to compare with: ``before`` is older than the state that the paths lead into.
    var isBlind = false

    /// Moves the paths into one object. Their values may be gone afterwards.
    ///
    /// Cost: linear in the edits if the change log has them, otherwise in the lists on the paths.
    func follow(_ paths: [NestedPath], of root: ObjectIdentity) {
        if let changes, changes[root]?.kind != .update { return }
        let old = paths.map(\.steps)
        // From the outside in: the position of a list is known after the lists around it have been followed.
        for position in 1..<max(old.map(\.count).max() ?? 0, 1) {
            var lists: Set<[NestedPath.Step]> = []
            for (way, steps) in zip(paths, old) where !way.isGone && position < steps.count {
                guard case .index = steps[position] else { continue }
                let list = Array(way.steps[..<position])
                guard lists.insert(list).inserted else { continue }
                let elements = moved(Array(steps[..<position]), now: list, root)
                for way in paths where way.concerns(list) { way.follow(elements, in: list) }
            }
        }
        if isBlind { return }
        for way in paths where !way.isGone && !way.isCollection {
            if place(way.steps[...], of: root, in: after) == nil { way.end() }
        }
    }

    /// Returns the later indices of a list's elements by their earlier indices: nil for elements that are gone.
    ///
    /// - `old`, `new`: The paths to the list in both views.
    private func moved(
        _ old: [NestedPath.Step], now new: [NestedPath.Step], _ root: ObjectIdentity
    ) -> (Int) -> Int? {
        var splices: [ListSplice]?
        if let changes, case .member(let member) = old[0] {
            if !(changes[root]?.members.contains(member) ?? false) { return { $0 } }
            if old.count == 1, let edits = changes.edits(ofList: member, of: root),
                !edits.isReplaced
            {
                splices = edits.splices
            }
        }
        if isBlind {
            // For lists within other lists, edits by other writes are not known.
            return { splices?.moved($0) ?? (splices == nil && old.count > 1 ? $0 : nil) }
        }
        guard let was = place(old[...], of: root, in: before)?.elements,
            let now = place(new[...], of: root, in: after)?.elements
        else { return { _ in nil } }
        let difference = splices == nil ? ListDifference(from: was, to: now) : nil
        return { index in
            if let present = splices?.moved(index) ?? difference?.moved(index) { return present }
            // A moved element was removed and inserted.
            guard was.indices.contains(index), let element = was[index] else { return nil }
            func isSame(_ other: UnsafeRawBufferPointer?) -> Bool {
                other?.elementsEqual(element) ?? false
            }
            guard was.count(where: isSame) == 1, now.count(where: isSame) == 1 else { return nil }
            return now.firstIndex(where: isSame)
        }
    }

    // MARK: Reading

    /// The value at the end of a path.
    private enum Place {
        case object(RowView, RowClass)
        case collection(StoredCollection)
        case mixed(MixedView)

        /// The elements of a list; nil for anything else.
        var elements: [UnsafeRawBufferPointer?]? {
            switch self {
            case .object: nil
            case .collection(let collection): collection.elementBytes(within: nil)
            case .mixed(let value):
                value.kind == .list ? (0..<value.count).map { value.element($0).bytes } : nil
            }
        }
    }

    /// Returns the value that a path leads to in a view; nil if there is no value.
    private func place(
        _ steps: ArraySlice<NestedPath.Step>, of root: ObjectIdentity, in view: StoreView
    ) -> Place? {
        let rowClass = view.rows.classes[root.classIndex]
        guard let row = view.row(classIndex: root.classIndex, key: root.key) else { return nil }
        return place(steps, .object(row, rowClass), view)
    }

    private func place(
        _ steps: ArraySlice<NestedPath.Step>, _ place: Place, _ view: StoreView
    ) -> Place? {
        guard let step = steps.first else { return place }
        let rest = steps.dropFirst()
        switch (place, step) {
        case (.object(let row, let rowClass), .member(let member)):
            let compiled = rowClass.members[member]
            guard compiled.storage.shape == .single else {
                return self.place(
                    rest, .collection(rowClass.collection(member, in: row, view)), view, compiled)
            }
            let field = rowClass.field(member, in: row)
            if field.isNull { return nil }
            return self.place(rest, field.bytes(compiled.storage, view), view, compiled)
        case (.mixed(let value), _):
            return value.index(of: step).flatMap {
                self.place(rest, .mixed(value.element($0)), view)
            }
        default: return nil
        }
    }

    /// Continues from a collection. Its property describes the elements.
    private func place(
        _ steps: ArraySlice<NestedPath.Step>, _ collection: Place, _ view: StoreView,
        _ compiled: RowClass.Member
    ) -> Place? {
        guard let element = steps.first?.element else { return collection }
        guard case .collection(let stored) = collection,
            let (part, offset) = stored.element(element), !part.isNull(offset)
        else { return nil }
        return place(steps.dropFirst(), part.bytes(offset), view, compiled)
    }

    /// Continues from a value of a property, or from an element of it.
    private func place(
        _ steps: ArraySlice<NestedPath.Step>, _ bytes: UnsafeRawBufferPointer,
        _ view: StoreView, _ compiled: RowClass.Member
    ) -> Place? {
        switch compiled.storage.element {
        case .embedded:
            RowView(bytes).flatMap {
                place(steps, .object($0, view.rows.classes[compiled.classIndex]), view)
            }
        case .mixed: place(steps, .mixed(MixedView(bytes)), view)
        default: nil
        }
    }
}

extension [ListSplice] {
    /// The position of an element after the splices; nil if it is gone. Elements that replaced other elements count as the same
    /// elements, changed.
    fileprivate func moved(_ index: Int) -> Int? {
        var index = index
        for splice in self where index >= splice.index {
            if index < splice.index + splice.removed {
                if index >= splice.index + splice.inserted { return nil }
            } else {
                index += splice.inserted - splice.removed
            }
        }
        return index
    }
}

extension ListDifference {
    /// The new position of an element; nil if it is gone.
    fileprivate func moved(_ index: Int) -> Int? {
        if deletions.contains(where: { $0.contains(index) }) { return nil }
        var moved = index
        for range in deletions where range.upperBound <= index { moved -= range.count }
        for range in insertions where range.lowerBound <= moved { moved += range.count }
        return moved
    }
}

extension MixedView {
    /// The position of the element that a step leads to; nil if it does not exist.
    fileprivate func index(of step: NestedPath.Step) -> Int? {
        switch step {
        case .member: nil
        case .index(let index): kind == .list && index < count ? index : nil
        case .key(let key): key.withUnsafeBytes { self.index(ofKey: $0) }
        }
    }
}
