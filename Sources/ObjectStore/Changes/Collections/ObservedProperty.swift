import HoldfastRows

/// A property of an object, or a value inside it, with reported changes.
package struct ObservedProperty: Sendable {
    package let rowClass: RowClass
    package let member: Int
    /// The path on into `mixed` values: indices and keys.
    package let inner: [[UInt8]]
    /// The shown properties of the objects that it links to; nil for all.
    let targets: ObservedQuery?
    /// Whether the shown part of its embedded objects includes values of other objects.
    package let reachesOthers: Bool
    /// Whether its followers may not see all of it.
    package let isSeenInPart: Bool

    /// The maximum number of elements that are compared, or looked at for their links.
    package static let elementCountMax = 10_000

    package init(
        _ rowClass: RowClass, member: Int, inner: [[UInt8]] = [], targets: ObservedQuery? = nil,
        reachesOthers: Bool = false, isSeenInPart: Bool = false
    ) {
        self.rowClass = rowClass
        self.member = member
        self.inner = inner
        self.targets = targets
        self.reachesOthers = reachesOthers
        self.isSeenInPart = isSeenInPart
    }

    package var compiled: RowClass.Member { rowClass.members[member] }

    /// Whether it is hidden on an object.
    ///
    /// - `row`: The object as it is shown.
    package func isHidden(in row: RowView) -> Bool { rowClass.hides(member, in: row) }

    /// Whether it is reported as one value: it is not a collection, or is inside a `mixed` one.
    package var isValue: Bool { !inner.isEmpty || compiled.storage.shape == .single }

    package var isMixedValue: Bool { isValue && compiled.storage.element == .mixed }

    /// Whether it is reported as a set.
    package var isSet: Bool { !isValue && compiled.storage.shape == .set }

    /// Whether its elements are links or embedded objects.
    package var holdsObjects: Bool { compiled.classIndex >= 0 }

    /// Whether an element may show a part of another object that was updated.
    package func mayHoldUpdated(_ changes: FoldedChanges, in transaction: ReadTransaction) -> Bool {
        ChangedLinks(changes, self, in: transaction) != nil
    }

    /// Finds the difference of the property. Elements also count as modified if an object that they show was updated. In a
    /// collection of more than ``elementCountMax`` they count only if they themselves differ.
    ///
    /// Cost: the splices for a list with splices in the change log. Otherwise linear in the elements of a list, and in the
    /// differing chunks of a set or map.
    ///
    /// The elements of the difference are valid while both transactions are open.
    ///
    /// - `key`: The key of the object, which is there in both transactions.
    /// - `changes`: The changes between them, with lists.
    /// - `before`: Nil if the object's former state is not known. Then only splices can be used. Followers that see a part need
    ///   the state.
    /// - Returns: nil if nothing has changed.
    /// - Throws: ``StoreError`` if reading fails.
    package func difference(
        of key: UInt64, _ changes: FoldedChanges, from before: ReadTransaction?,
        to after: ReadTransaction
    ) throws(StoreError) -> PropertyDifference? {
        let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
        let change = changes[identity]
        // Any change may show or hide links, and the log's splices count hidden links.
        let mayShowOthers = isSeenInPart && rowClass.linkingMembers.contains(member)
        let isOther =
            mayShowOthers
            || change.map { $0.kind != .update || $0.members.contains(member) } ?? false
        let links = ChangedLinks(changes, self, in: after)
        if !isOther, links == nil { return nil }
        guard let new = try after.find(rowClass, key: key) else { return .unknown }
        let old = try before?.find(rowClass, key: key)
        let result: PropertyDifference?
        if isValue {
            result = differenceOfValue(old, before, new, after, isOther, links)
        } else if compiled.storage.shape == .list {
            let edits =
                mayShowOthers
                ? nil : isOther ? changes.edits(ofList: member, of: identity) : ListEdits()
            result = differenceOfList(edits, old, before, new, after, links)
        } else {
            result = differenceOfKeys(old, before, new, after, links)
        }
        try after.checkFailure()
        try before?.checkFailure()
        return result
    }

    // MARK: Lists

    private func differenceOfList(
        _ edits: ListEdits?, _ old: RowView?, _ before: ReadTransaction?, _ new: RowView,
        _ after: ReadTransaction, _ links: ChangedLinks?
    ) -> PropertyDifference? {
        let list = rowClass.collection(member, in: new, after)
        let isShort = list.count <= Self.elementCountMax
        var changed: [Int] = []
        if let links, isShort {
            list.forEach(within: after.budget) { part, offset, index in
                if !part.isNull(offset), links.hold(part.bytes(offset)) { changed.append(index) }
                return true
            }
        }
        if let edits, !edits.isReplaced {
            return Self.result(ListDifference(edits.splices, changed: changed))
        }
        guard let old, let before else { return .unknown }
        let oldList = rowClass.collection(member, in: old, before)
        guard isShort, oldList.count <= Self.elementCountMax else {
            // Writes of hidden links are not shown.
            return isSeenInPart && list.isEqual(to: oldList) ? nil : .unknown
        }
        return Self.result(
            ListDifference(
                from: oldList.elementBytes(within: before.budget),
                to: list.elementBytes(within: after.budget), changed: changed))
    }

    private static func result(_ difference: ListDifference) -> PropertyDifference? {
        difference.isEmpty ? nil : .list(difference)
    }

    // MARK: Sets and maps

    private func differenceOfKeys(
        _ old: RowView?, _ before: ReadTransaction?, _ new: RowView, _ after: ReadTransaction,
        _ links: ChangedLinks?
    ) -> PropertyDifference? {
        guard let old, let before else { return .unknown }
        let storage = compiled.storage
        let count = rowClass.collection(member, in: new, after).count
        let isChanged = count <= Self.elementCountMax ? links.map { $0.hold } : nil
        let difference = KeyedDifference(
            from: KeyedDifference.Chunk.all(of: rowClass.field(member, in: old), storage, before),
            to: KeyedDifference.Chunk.all(of: rowClass.field(member, in: new), storage, after),
            storage, isChanged: isChanged)
        return Self.result(difference)
    }

    private static func result(_ difference: KeyedDifference?) -> PropertyDifference? {
        guard let difference else { return .unknown }
        return difference.isEmpty ? nil : .keyed(difference)
    }

    // MARK: Single values, and values inside mixed ones

    private func differenceOfValue(
        _ old: RowView?, _ before: ReadTransaction?, _ new: RowView, _ after: ReadTransaction,
        _ isOther: Bool, _ links: ChangedLinks?
    ) -> PropertyDifference? {
        guard compiled.storage.element == .mixed else {
            let field = rowClass.field(member, in: new)
            if isOther || links?.holdsAll ?? false { return .value }
            guard let width = compiled.storage.element.fixedByteCount, !field.isNull else {
                return nil
            }
            let link = UnsafeRawBufferPointer(start: field.slot, count: width)
            return links?.hold(link) ?? false ? .value : nil
        }
        guard let old, let before else { return .unknown }
        let a = mixed(in: old, before)
        let b = mixed(in: new, after)
        guard let a, let b, a.kind == b.kind, a.kind == .list || a.kind == .map else {
            let isSame = ElementBytes(a?.bytes) == ElementBytes(b?.bytes)
            return isSame && !(b.map { links?.hold($0.bytes) ?? false } ?? false) ? nil : .value
        }
        guard max(a.count, b.count) <= Self.elementCountMax else { return isOther ? .unknown : nil }
        if a.kind == .map {
            return Self.result(
                KeyedDifference(from: Self.entries(a), to: Self.entries(b), isChanged: links?.hold))
        }
        let elements = (0..<b.count).map { b.element($0).bytes }
        return Self.result(
            ListDifference(
                from: (0..<a.count).map { a.element($0).bytes }, to: elements,
                changed: links.map { links in elements.indices.filter { links.hold(elements[$0]) } }
                    ?? []))
    }

    private static func entries(_ map: MixedView) -> [KeyedDifference.Entry] {
        (0..<map.count).map {
            KeyedDifference.Entry(key: map.key($0), value: map.element($0).bytes)
        }
    }

    /// The value of a `mixed` property at the end of the path; nil if it leads nowhere.
    package func mixed(in row: RowView, _ source: ReadTransaction) -> MixedView? {
        var steps = inner[...]
        var value: MixedView
        if compiled.storage.shape == .single {
            let field = rowClass.field(member, in: row)
            value = MixedView(field.isNull ? nil : field.text(source))
        } else {
            let collection = rowClass.collection(member, in: row, source)
            guard let step = steps.popFirst() else { return nil }
            let index =
                compiled.storage.shape == .map
                ? step.withUnsafeBytes { collection.index(ofKey: $0) }
                : Int(String(decoding: step, as: UTF8.self))
            guard let index, let (part, offset) = collection.element(index) else { return nil }
            value = MixedView(part.isNull(offset) ? nil : part.bytes(offset))
        }
        return try? value.value(at: Array(steps))
    }
}

/// The difference of a property of an object between two versions.
package enum PropertyDifference {
    /// A list, by indices.
    case list(ListDifference)
    /// A set or map, by value or key.
    case keyed(KeyedDifference)
    /// A value that is not a collection, or has become or ceased to be one.
    case value
    /// The difference is not known: the present value has to be read whole.
    case unknown
}

/// Finds the elements of a collection that show a part of other objects that was updated.
struct ChangedLinks {
    /// The linked objects with a shown part that has changed.
    private enum Updated {
        /// The linked objects that were updated themselves.
        case themselves
        case keys(Set<UInt64>)
        /// Any linked object may be one.
        case any
    }

    private let changes: FoldedChanges
    private let schema: RowSchema
    private let member: RowClass.Member
    private let targets: ObservedQuery?
    private var updated = Updated.any

    /// Nil if no element of the property can show such a part.
    ///
    /// Cost: a look at the changes up to the first of the linked class. If further objects are shown, up to
    /// ``ObservedProperty/elementCountMax`` changes and as many objects.
    init?(_ changes: FoldedChanges, _ property: ObservedProperty, in transaction: ReadTransaction) {
        member = property.compiled
        targets = property.targets
        self.changes = changes
        schema = transaction.rows
        if member.storage.shape == .none { return nil }
        switch member.storage.element {
        case .link:
            guard let targets, targets.dependsOnOthers else {
                let classIndex = member.classIndex
                guard changes.order.contains(where: { $0.classIndex == classIndex }) else {
                    return nil
                }
                updated = .themselves
                return
            }
            // If there are many, the elements are not looked for one by one.
            if changes.order.count > ObservedProperty.elementCountMax { return }
            let candidates = targets.candidates(
                changes, in: transaction, dependentCountMax: ObservedProperty.elementCountMax)
            if candidates.countMax > changes.order.count + ObservedProperty.elementCountMax {
                return
            }
            let keys = Set(
                candidates.lazy.filter { ($0.change?.kind ?? .update) == .update }.map(
                    \.identity.key))
            if keys.isEmpty { return nil }
            updated = .keys(keys)
        case .embedded where property.reachesOthers, .mixed:
            if changes.order.isEmpty { return nil }
        default: return nil
        }
    }

    private var isMixed: Bool { member.storage.element == .mixed }

    /// Whether every element is assumed to show such a part.
    var holdsAll: Bool {
        if case .any = updated { !isMixed } else { false }
    }

    /// Whether an element shows such a part.
    func hold(_ element: UnsafeRawBufferPointer) -> Bool {
        guard isMixed else {
            guard let key = element.baseAddress?.storedLink else { return false }
            return switch updated {
            case .themselves: isUpdated(member.classIndex, key)
            case .keys(let keys): keys.contains(key)
            case .any: true
            }
        }
        var isFound = false
        MixedView(element).forEachLink { number, key in
            if let index = schema.classIndexByNumber[number], isUpdated(index, key) {
                isFound = true
            }
        }
        return isFound
    }

    private func isUpdated(_ classIndex: Int, _ key: UInt64) -> Bool {
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        guard let change = changes[identity], change.kind == .update else { return false }
        let candidate = ObservedCandidate(
            identity: identity, change: change, position: nil, of: changes)
        return targets.map { !$0.isUncounted(candidate) } ?? true
    }
}
