import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The change log between two versions, folded: what became of each object in the end.
package struct FoldedChanges: Sendable {
    /// The outcome for one object.
    package struct Change: Sendable {
        /// Inserted, updated or deleted, seen from before the first to after the last version.
        package var kind: ChangeRecord.Kind
        /// The properties that were updated; of an insertion, those that were updated after it.
        package var members: MemberSet
        /// Of a deletion the primary key, see ``ChangeRecord/primaryKey``.
        package var primaryKey: [UInt8]
        /// The last version that changed it.
        package var version: UInt64
        /// The version that made it; 0 for one that was there before.
        var insertedAt: UInt64 = 0
        /// The states before versions, as far as they are kept, in the versions' order.
        var former: [FormerState] = []
        /// The properties that some version changed, of which it is not known what they had been.
        var forgotten = MemberSet()

        // Functions of members, as a method would be given a copy of a change, with references to what threads share.

        /// Whether a change can take an object out of the results of a filter that reads some properties of it.
        @inline(__always)
        static func mayLeave(
            _ kind: ChangeRecord.Kind, _ members: MemberSet, reading own: MemberSet
        ) -> Bool {
            kind == .delete || !members.isDisjoint(with: own)
        }

        /// Whether each of some sets has a property of which it is not known what it had been.
        @inline(__always)
        static func forgets(oneOfEach sets: [MemberSet], _ forgotten: MemberSet) -> Bool {
            sets.allSatisfy { !$0.isDisjoint(with: forgotten) }
        }
    }

    /// The objects in the order in which they were first changed.
    package private(set) var order: [ObjectIdentity] = []
    /// The outcome for each, in the same order.
    package private(set) var outcomes: [Change] = []
    /// Where each stands.
    private var positions: [ObjectIdentity: Int] = [:]
    /// Objects that lost an incoming link.
    package private(set) var lostLinks: Set<LostLink> = []
    /// The changes of the schema.
    package private(set) var changedShapes = ShapeChanges()
    /// The edits of lists of objects that were updated, by member, where it was asked for.
    private var lists: [ObjectIdentity: [Int: ListEdits]] = [:]
    private let notesLists: Bool
    private let notesFormer: Bool
    /// The memory of former values that is read at once.
    package static let formerByteCountMax = 64 << 20
    /// About the memory of what is kept of the states before versions.
    package private(set) var formerByteCount = 0
    /// About the memory of a value beside its bytes.
    private static let valueByteCount = 96
    /// The version behind which they begin.
    let start: UInt64
    /// The last version that is folded in.
    package private(set) var through: UInt64

    /// Whether more than one version is folded in.
    package var isOfSeveralVersions: Bool { through - start > 1 }

    /// The outcome for an object; nil for one that did not change.
    package subscript(identity: ObjectIdentity) -> Change? {
        positions[identity].map { outcomes[$0] }
    }

    /// Where an object stands; nil for one that did not change.
    func position(of identity: ObjectIdentity) -> Int? { positions[identity] }

    /// Whether a shape of the schema changed.
    package var changesSchema: Bool { !changedShapes.isEmpty }

    /// Whether nothing happened.
    package var isEmpty: Bool { order.isEmpty && lostLinks.isEmpty && !changesSchema }

    /// Why the change log can't be read from a version on.
    package enum Gap: Error {
        /// Its entry was removed: the cursor is too old.
        case expired
        /// The version does not exist yet.
        case future
        /// Storage failed.
        case storage(StorageError)
    }

    /// Reads what came after `version`.
    ///
    /// - `last`: The last version to fold in; nil for the last that the transaction sees.
    /// - `objectCountMax`: Stops before the version with which there would be more objects, so that
    ///   ``through`` may lie before the transaction's version. A version is never split: the first
    ///   that changes anything is taken whatever its size.
    /// - `recordCountMax`: Stops behind so many versions and changes of objects, of whatever class: for so many it
    ///   takes time.
    /// - `classes`: The classes whose objects are wanted, by position; nil for all.
    /// - `notesLists`: Whether ``edits(ofList:of:)`` is going to be asked.
    /// - `formerByteCountMax`: Stops behind the version with which the memory of former values reaches so many bytes; with 0 none are noted, for
    ///   callers that have the state before.
    package init(
        after version: UInt64, through last: UInt64? = nil, in transaction: ReadTransaction,
        objectCountMax: Int = .max, recordCountMax: Int = .max, classes: Set<Int>? = nil,
        notesLists: Bool = false, formerByteCountMax: Int = Self.formerByteCountMax
    ) throws(Gap) {
        (start, through) = (version, version)
        self.notesLists = notesLists
        notesFormer = formerByteCountMax > 0
        let state: StoreState
        do { state = try transaction.state() } catch {
            if case .storage(let error) = error { throw .storage(error) }
            throw .expired
        }
        if version > state.version { throw .future }
        if version + 1 < state.logFirst { throw .expired }
        let end = min(last ?? .max, state.version)
        let key = ByteBuffer(capacity: 16)
        var recordCount = 0
        while through < end, recordCount < recordCountMax,
            !notesFormer || formerByteCount < formerByteCountMax
        {
            key.removeAll()
            StoreKey.appendChangeLog(through + 1, to: key)
            let bytes: UnsafeRawBufferPointer?
            do { bytes = try transaction.snapshot.value(forKey: key.bytes) } catch {
                throw .storage(error)
            }
            // A missing entry would be a change that is never delivered.
            guard
                let entry = bytes.flatMap({
                    ChangeLogEntry($0, keepsFormer: notesFormer)
                })
            else {
                throw .storage(StorageError(.corrupted, operation: "read change log"))
            }
            if !order.isEmpty, order.count + entry.changes.count > objectCountMax { break }
            fold(entry, version: through + 1, transaction.rows, classes)
            if order.count >= objectCountMax { break }
            recordCount += 1 + entry.changes.count + entry.lostLinks.count
        }
    }

    private mutating func fold(
        _ entry: ChangeLogEntry, version: UInt64, _ schema: RowSchema, _ classes: Set<Int>?
    ) {
        through = version
        if !entry.changedShapes.isEmpty {
            changedShapes.formUnion(entry.changedShapes)
            forgetFormer(holding: entry.changedShapes.rewrittenClasses, schema)
        }
        for record in entry.changes {
            guard let index = schema.classIndexByNumber[record.classNumber],
                classes?.contains(index) ?? true
            else { continue }
            let identity = ObjectIdentity(classIndex: index, key: record.key)
            let members = record.members(ofClass: index, schema)
            formerByteCount += record.former.reduce(0) {
                $0 + Self.valueByteCount + $1.tagged.count
            }
            if notesLists { foldLists(record, identity, schema) }
            guard let position = positions[identity] else {
                var change = Change(
                    kind: record.kind, members: members, primaryKey: record.primaryKey,
                    version: version, insertedAt: record.kind == .insert ? version : 0)
                if notesFormer { change.noteFormer(record, members, version, schema) }
                positions[identity] = order.count
                order.append(identity)
                outcomes.append(change)
                continue
            }
            outcomes[position].version = version
            if notesFormer { outcomes[position].noteFormer(record, members, version, schema) }
            if record.kind == .delete {
                outcomes[position].kind = .delete
                outcomes[position].primaryKey = record.primaryKey
            } else {
                outcomes[position].members.formUnion(members)
            }
        }
        if !entry.lostLinks.isEmpty { lostLinks.formUnion(entry.lostLinks) }
    }

    /// Drops the former values that hold objects of some embedded classes, by number: rows of these have lost the layouts that the values were
    /// written in.
    private mutating func forgetFormer(holding rewritten: Set<UInt32>, _ schema: RowSchema) {
        if rewritten.isEmpty || !notesFormer { return }
        let classes = schema.classes
        let holding = RowConverter.spread(classes.map { rewritten.contains($0.number) }) {
            classes[$0].members
        }
        let holders = classes.map { rowClass in
            MemberSet(
                rowClass.members.indices.filter {
                    rowClass.members[$0].isEmbedded && holding[rowClass.members[$0].classIndex]
                })
        }
        for (position, identity) in order.enumerated() {
            let members = holders[identity.classIndex]
            if !members.isEmpty { outcomes[position].forgetFormer(members) }
        }
    }

    // MARK: Differences

    /// Keeps of what was updated the properties that differ between the two states: one may have become what it was.
    ///
    /// - `before`, `after`: The states between which the changes lie, with one schema.
    package mutating func keepDifferences(
        from before: ReadTransaction, to after: ReadTransaction
    ) {
        for position in outcomes.indices where outcomes[position].kind == .update {
            let identity = order[position]
            guard let old = before.row(classIndex: identity.classIndex, key: identity.key),
                let new = after.row(classIndex: identity.classIndex, key: identity.key)
            else { continue }
            let rowClass = after.rows.classes[identity.classIndex]
            var members = MemberSet()
            for member in rowClass.members.indices
            where outcomes[position].members.contains(member)
                && rowClass.differs(member, from: (old, before), to: (new, after))
            {
                members.insert(member)
            }
            outcomes[position].members = members
        }
    }

    // MARK: Lists

    /// Of the splices that are noted of a list the most: behind them it counts as replaced.
    private static let spliceCountMax = 4_096

    private mutating func foldLists(
        _ record: ChangeRecord, _ identity: ObjectIdentity, _ schema: RowSchema
    ) {
        guard record.kind == .update else { return }
        for number in record.properties {
            guard let location = schema.memberByNumber[number],
                location.classIndex == identity.classIndex,
                schema.classes[location.classIndex].members[location.member].storage.shape == .list
            else { continue }
            let noted = record.lists.first { $0.property == number }
            var edits = lists[identity]?[location.member] ?? ListEdits()
            if let noted {
                edits.append(noted.edits, countMax: Self.spliceCountMax)
            } else {
                edits.replace()
            }
            lists[identity, default: [:]][location.member] = edits
        }
    }

    /// The edits of a list of an object that was updated; nil when there are none.
    ///
    /// - Precondition: The changes were folded with `notesLists`.
    package func edits(ofList member: Int, of identity: ObjectIdentity) -> ListEdits? {
        lists[identity]?[member]
    }
}

extension FoldedChanges {
    /// An object that has changed, which may have held, or hold, links through some property.
    struct Holder {
        let identity: ObjectIdentity
        /// Its properties that hold them, or the embedded objects with them.
        let members: MemberSet
    }

    /// Finds the objects whose links through a property may be others than before. Cost: linear in the changes.
    ///
    /// - Parameters:
    ///   - member: The property.
    ///   - origin: Its class; where that is embedded, objects of any class hold it.
    ///   - version: Leaves out those that have not changed since.
    ///   - schema: The schema.
    /// - Returns: The objects, in the order in which they were first changed.
    func holders(
        of member: Int, of origin: RowClass, since version: UInt64 = 0, _ schema: RowSchema
    ) -> [Holder] {
        zip(order, outcomes).compactMap { identity, change in
            guard change.version > version,
                origin.definition.kind == .embedded || identity.classIndex == origin.index
            else { return nil }
            let members = schema.classes[identity.classIndex].members(holding: member, of: origin)
            return change.kind == .update && change.members.isDisjoint(with: members)
                ? nil : Holder(identity: identity, members: members)
        }
    }
}

extension RowClass {
    /// The properties that hold embedded objects.
    var embeddingMembers: MemberSet {
        MemberSet(members.indices.filter { members[$0].storage.element == .embedded })
    }

    /// The properties of an object of the class that hold what a property has: that one, or those with embedded objects of its class.
    func members(holding member: Int, of origin: RowClass) -> MemberSet {
        origin.definition.kind == .embedded ? embeddingMembers : MemberSet([member])
    }
}
