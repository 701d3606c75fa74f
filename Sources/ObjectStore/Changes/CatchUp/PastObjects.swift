import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The objects of a store at an earlier version, as far as the change log keeps them.
///
/// An object that has not changed since is read as it is. Of other objects the log keeps some values (``LoggedProperties``). An
/// evaluation that asks for more is undecided. One thread at a time uses it.
final class PastObjects: PastSource {
    /// An object at that version.
    struct Found {
        let row: RowView
        /// The properties that have their values at that version; nil for all.
        let known: MemberSet?

        /// Whether some properties have their values at that version.
        func knows(_ members: MemberSet) -> Bool { known.map(members.isSubset) ?? true }
    }

    /// The knowledge of an object's former state.
    struct Reached {
        /// The object; nil if it was not there.
        let found: Found?
        /// Whether it is known if the object was there.
        let isDecided: Bool

        /// Whether the result of an evaluation that reads some of its properties is known.
        func answers(_ members: MemberSet?) -> Bool {
            isDecided && found?.knows(members ?? MemberSet()) ?? true
        }
    }

    private let version: UInt64
    private let changes: FoldedChanges
    private let unrestricted: StoreView
    /// Whether the changes lead to the view's version.
    let isWhole: Bool
    var nextVersion = UInt64.max
    private(set) var isUndecided = false
    private var reads: [Int: MemberSet] = [:]
    private var reached: [ObjectIdentity: Reached] = [:]
    /// By class, see ``deletions(of:)``.
    private var deletions: [Int: [[UInt8]: [Int]]] = [:]
    private let copies = RowCopies()
    private let builder = RowBuilder()
    private let buffer = ByteBuffer(capacity: 256)

    /// - Parameters:
    ///   - version: The version of the objects.
    ///   - changes: The changes from that version on, or from an earlier one.
    ///   - isWhole: Whether they lead to the version of the view.
    ///   - unrestricted: A view that shows everything, at the end of the changes or later.
    init(at version: UInt64, _ changes: FoldedChanges, isWhole: Bool, in unrestricted: StoreView) {
        self.version = version
        self.changes = changes
        self.isWhole = isWhole
        self.unrestricted = unrestricted
    }

    /// The memory of its copies.
    var byteCount: Int { copies.byteCount }

    func begin(reading reads: [Int: MemberSet]) {
        self.reads = reads
        isUndecided = false
    }

    /// The next version that changed an object; `.max` if no version did.
    private func nextVersion(of identity: ObjectIdentity) -> UInt64 {
        guard let change = changes[identity] else { return .max }
        if change.insertedAt > version { return change.insertedAt }
        return change.former.first { $0.version > version }?.version ?? .max
    }

    private func find(_ identity: ObjectIdentity) -> Reached {
        let present = unrestricted.row(classIndex: identity.classIndex, key: identity.key)
        // Later changes are not known.
        let isLater = present.map { $0.version > changes.through } ?? false
        let change = changes[identity]
        guard let change, change.version > version else {
            guard let present, !isLater else {
                return Reached(found: nil, isDecided: change?.kind == .delete)
            }
            return Reached(found: Found(row: present, known: nil), isDecided: true)
        }
        if change.insertedAt > version { return Reached(found: nil, isDecided: true) }
        let rowClass = unrestricted.rows.classes[identity.classIndex]
        var former: [Int: [UInt8]] = [:]
        for state in change.former.reversed() where state.version > version {
            for (member, tagged) in state.values { former[member] = tagged }
        }
        var known: MemberSet?
        if present == nil || isLater {
            guard change.kind == .delete || isLater else {
                return Reached(found: nil, isDecided: false)
            }
            known = MemberSet(former.keys)
            if let key = rowClass.primaryKeyIndex {
                known?.insert(key)
                if present == nil { former[key] = change.primaryKey }
            }
        } else if !change.forgotten.isEmpty {
            known = MemberSet(below: rowClass.members.count)
        }
        known = known?.subtracting(change.forgotten)
        if let present, former.isEmpty {
            return Reached(found: Found(row: present, known: known), isDecided: true)
        }
        buffer.removeAll()
        builder.append(former, over: present, rowClass, version: version, to: buffer)
        let found = RowView(buffer.bytes).map { Found(row: $0, known: known) }
        return Reached(found: found, isDecided: found != nil)
    }

    /// Finds an object. The row is valid as long as this instance.
    func reach(_ identity: ObjectIdentity) -> Reached {
        nextVersion = min(nextVersion, nextVersion(of: identity))
        if let known = reached[identity] { return known }
        var object = find(identity)
        if let found = object.found, found.row.base == buffer.bytes.baseAddress {
            let copy = unrestricted.budget.holds(copies.byteCount) ? copies.add(buffer.bytes) : nil
            object = Reached(
                found: copy.map { Found(row: $0, known: found.known) }, isDecided: copy != nil)
        }
        reached[identity] = object
        return object
    }

    // MARK: Holders of links

    /// The changed holders, by the number of the property.
    private var changedHolders: [UInt32: [FoldedChanges.Holder]] = [:]

    /// Passes on the objects that linked to an object, once for each link, until `body` returns false.
    ///
    /// - `body`: Receives the object and whether it is known to have had a link. For an object that may have had links, it is
    ///   called once.
    func forEachPastOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ origin: ObjectIdentity, _ isKnown: Bool) -> Bool
    ) {
        if !isWhole { isUndecided = true }
        let classes = unrestricted.rows.classes
        let number = classes[originClass].members[member].number
        let lost = LostLink(
            classNumber: classes[classIndex].number, key: key, propertyNumber: number)
        let changed = changedHolders(of: member, classes[originClass])
        let mayHaveLost =
            changes.lostLinks.contains(lost)
            || unrestricted.row(classIndex: classIndex, key: key) == nil
        var (left, goesOn, undecided) = (changed[...], true, [ObjectIdentity]())
        // Changed holders are read as they were, in the order of the others: lists are compared in order.
        func pass(_ holder: FoldedChanges.Holder, isLinking: Bool = false) {
            guard goesOn, unrestricted.budget.spend() else { return goesOn = false }
            let object = reach(holder.identity)
            if let found = object.found, found.knows(holder.members) {
                unrestricted.rows.forEachLink(
                    of: classes[holder.identity.classIndex], in: found.row, only: holder.members,
                    unrestricted
                ) {
                    guard goesOn, $0 == number, $1 == classIndex, $2 == key else { return }
                    goesOn = body(holder.identity, true)
                }
            } else if object.found != nil || !object.isDecided, mayHaveLost || isLinking {
                undecided.append(holder.identity)
            }
        }
        unrestricted.scanOrigins(classIndex, key, property: number) { origin, _, count in
            while goesOn, let first = left.first, order(of: first.identity) < order(of: origin) {
                pass(left.removeFirst())
            }
            if left.first?.identity == origin {
                pass(left.removeFirst(), isLinking: true)
            } else {
                for _ in 0..<count where goesOn { goesOn = body(origin, true) }
            }
            return goesOn
        }
        while goesOn, let holder = left.popFirst() { pass(holder) }
        // They come last, because they have no value: the others may decide before.
        for holder in undecided where goesOn { goesOn = body(holder, false) }
    }

    /// The order of the objects that link to one.
    private func order(of origin: ObjectIdentity) -> (UInt32, UInt64) {
        (unrestricted.rows.classes[origin.classIndex].number, origin.key)
    }

    private func changedHolders(of member: Int, _ origin: RowClass) -> [FoldedChanges.Holder] {
        let number = origin.members[member].number
        if let known = changedHolders[number] { return known }
        let found = changes.holders(of: member, of: origin, since: version, unrestricted.rows)
            .filter { !unrestricted.rows.classes[$0.identity.classIndex].isAsymmetric }
            .sorted { order(of: $0.identity) < order(of: $1.identity) }
        changedHolders[number] = found
        return found
    }

    // MARK: Evaluation

    var schema: RowSchema { unrestricted.rows }
    var budget: Budget { unrestricted.budget }

    func row(classIndex: Int, key: UInt64) -> RowView? {
        let object = reach(ObjectIdentity(classIndex: classIndex, key: key))
        if !object.answers(reads[classIndex]) { isUndecided = true }
        return object.found?.row
    }

    func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool
    ) {
        forEachPastOrigin(ofClass: classIndex, key: key, originClass: originClass, member: member) {
            origin, isKnown in
            if isKnown { return body(origin.classIndex, origin.key) }
            isUndecided = true
            return true
        }
    }

    func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64? {
        if let key = unrestricted.objectKey(classIndex: classIndex, primaryKey: primaryKey) {
            let object = reach(ObjectIdentity(classIndex: classIndex, key: key))
            if object.found != nil { return key }
            if !object.isDecided { isUndecided = true }
        }
        // A deleted object may have had the same key.
        if !isWhole { isUndecided = true }
        for position in deletions(of: classIndex)[primaryKey.bytes] ?? [] {
            let change = changes.outcomes[position]
            // The object was created later, and has been deleted since.
            if change.insertedAt > version { nextVersion = min(nextVersion, change.insertedAt) }
            guard change.version > version, change.insertedAt <= version else { continue }
            nextVersion = min(nextVersion, change.version)
            return changes.order[position].key
        }
        return nil
    }

    /// The positions of the deletions of a class's objects by their primary keys. A matcher that cannot remember its findings
    /// asks for each object.
    private func deletions(of classIndex: Int) -> [[UInt8]: [Int]] {
        if let known = deletions[classIndex] { return known }
        var found: [[UInt8]: [Int]] = [:]
        let rowClass = unrestricted.rows.classes[classIndex]
        for (position, identity) in changes.order.enumerated()
        where identity.classIndex == classIndex && changes.outcomes[position].kind == .delete {
            let tagged = changes.outcomes[position].primaryKey
            if let key = rowClass.orderedKey(ofTagged: tagged) {
                found[key, default: []].append(position)
            }
        }
        deletions[classIndex] = found
        return found
    }

    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        unrestricted.overflowChunk(key)
    }
}
