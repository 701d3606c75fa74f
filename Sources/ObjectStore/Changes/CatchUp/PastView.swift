import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The part of a store that a visibility showed at an earlier version, as far as the change log keeps it.
///
/// Rules are tested on the stored state of that version (``PastObjects``). Everything else reads the part that the rules showed.
/// One thread at a time uses it.
final class PastView: PastSource {
    /// The rules' judgement of an object.
    struct Judgement: Equatable {
        /// Whether the object was there and visible.
        var isSeen = false
        var hidden = MemberSet()
        /// Whether the judgement is known.
        var isDecided = true
    }

    /// A finding, with the next version at which it may be different; `.max` if no version is.
    private typealias Noted<Found> = (found: Found, nextVersion: UInt64)

    /// The rules of a class, prepared for tests.
    private struct Rules {
        let rule: PastTest?
        let roles: [(rule: PastTest?, hidden: MemberSet)]
    }

    private let visibility: Visibility?
    private let objects: PastObjects
    private let unrestricted: StoreView
    /// The links that are shown, by class. Other values are not read, and copied as they are.
    private let wanted: [Int: MemberSet]
    private var rules: [Int: Rules] = [:]
    private var judgements: [ObjectIdentity: Noted<Judgement>] = [:]
    private var shown: [ObjectIdentity: Noted<PastObjects.Reached>] = [:]
    private let copies = RowCopies()
    private let subjects = RowCopies()
    private let builder = RowBuilder()
    private let buffer = ByteBuffer(capacity: 256)
    private(set) var isUndecided = false
    private var reads: [Int: MemberSet] = [:]

    /// - Parameters:
    ///   - visibility: The visibility; nil if everything was visible.
    ///   - objects: The objects at that version.
    ///   - unrestricted: The view from which these are read.
    ///   - wanted: The properties that evaluations read, by class.
    init(
        _ visibility: Visibility?, of objects: PastObjects, in unrestricted: StoreView,
        reading wanted: [Int: MemberSet]
    ) {
        (self.visibility, self.objects, self.unrestricted, self.wanted) = (
            visibility, objects, unrestricted, wanted
        )
    }

    /// The memory of its copies and of the objects' copies.
    var byteCount: Int { copies.byteCount + subjects.byteCount + objects.byteCount }

    /// Returns the remembered finding about an object, or finds it.
    private func remembered<Found>(
        _ identity: ObjectIdentity,
        in known: ReferenceWritableKeyPath<PastView, [ObjectIdentity: Noted<Found>]>,
        _ find: () -> Found
    ) -> Found {
        if let noted = self[keyPath: known][identity] {
            objects.nextVersion = min(objects.nextVersion, noted.nextVersion)
            return noted.found
        }
        let noted = noting(find)
        if unrestricted.budget.failure == nil { self[keyPath: known][identity] = noted }
        return noted.found
    }

    // MARK: Objects

    func judge(_ identity: ObjectIdentity) -> Judgement {
        remembered(identity, in: \.judgements) { askRules(of: identity) }
    }

    /// Returns an object as it was shown: nothing, or its row, which is valid until the next call.
    ///
    /// - `links`: The links that are shown, besides the links that evaluations read.
    func find(
        _ identity: ObjectIdentity, with links: MemberSet = MemberSet()
    ) -> PastObjects.Reached {
        subjects.release(to: RowCopies.Mark())
        return show(identity, links.union(wanted[identity.classIndex] ?? MemberSet()), in: subjects)
    }

    private func askRules(of identity: ObjectIdentity) -> Judgement {
        // Changes of a class that is never visible may not have been read.
        if visibility?.parts[identity.classIndex].isNeverSeen ?? false { return Judgement() }
        let object = objects.reach(identity)
        guard let found = object.found else { return Judgement(isDecided: object.isDecided) }
        guard let visibility, visibility.parts[identity.classIndex].isConcerned else {
            return Judgement(isSeen: true)
        }
        let rules = rules(of: identity.classIndex, visibility)
        if let rule = rules.rule {
            guard let holds = rule.holds(for: found, identity.key, in: objects) else {
                return Judgement(isDecided: false)
            }
            if !holds { return Judgement() }
        }
        var hidden: MemberSet?
        for role in rules.roles {
            let admits: Bool? =
                role.rule.map { $0.holds(for: found, identity.key, in: objects) } ?? true
            guard let admits else { return Judgement(isDecided: false) }
            if admits { hidden = hidden?.intersection(role.hidden) ?? role.hidden }
        }
        if rules.roles.isEmpty { return Judgement(isSeen: true) }
        return Judgement(
            isSeen: true, hidden: hidden ?? visibility.parts[identity.classIndex].hidden)
    }

    private func rules(of classIndex: Int, _ visibility: Visibility) -> Rules {
        if let known = rules[classIndex] { return known }
        let part = visibility.parts[classIndex]
        let made = Rules(
            rule: part.rule.map { PastTest($0, visibility.schema) },
            roles: part.roles.map { role in
                (role.rule.map { PastTest($0, visibility.schema) }, role.hidden)
            })
        rules[classIndex] = made
        return made
    }

    /// Makes an object as it was shown, with the wanted links, and keeps its copy.
    private func show(
        _ identity: ObjectIdentity, _ wanted: MemberSet, in copies: RowCopies
    ) -> PastObjects.Reached {
        let (object, judgement) = (objects.reach(identity), judge(identity))
        guard judgement.isSeen, let found = object.found, let visibility,
            visibility.parts[identity.classIndex].isConcerned
        else {
            return PastObjects.Reached(
                found: judgement.isSeen ? object.found : nil, isDecided: judgement.isDecided)
        }
        let rowClass = unrestricted.rows.classes[identity.classIndex]
        var (parts, undecided) = (HiddenParts(), MemberSet())
        parts.properties = judgement.hidden
        for member in visibility.parts[identity.classIndex].links
        where !judgement.hidden.contains(member) && wanted.contains(member)
            && found.knows(MemberSet([member]))
        {
            if visibility.parts[identity.classIndex].unknown.contains(member),
                holdsUnknown(member, of: rowClass, in: found.row)
            {
                parts.links.insert(member)
            }
            schema.forEachLink(of: rowClass, in: found.row, only: MemberSet([member]), unrestricted)
            {
                _, classIndex, key in
                // A link's target was there. A target of a class without rules may not be known any more.
                guard visibility.mayHideObjects(of: classIndex), unrestricted.budget.spend() else {
                    return
                }
                let target = judge(ObjectIdentity(classIndex: classIndex, key: key))
                if !target.isDecided { undecided.insert(member) }
                if !target.isSeen { parts.links.insert(member) }
            }
        }
        var known = found.known
        known?.formUnion(judgement.hidden)
        if !undecided.isEmpty {
            // For these properties the row lacks links to targets that may have been visible.
            let all = known ?? MemberSet(below: rowClass.members.count)
            known = all.subtracting(undecided)
        }
        if parts.isEmpty {
            return PastObjects.Reached(
                found: PastObjects.Found(row: found.row, known: known), isDecided: true)
        }
        buffer.removeAll()
        builder.append(found.row, rowClass, without: parts, objects: self, to: buffer)
        let copy = unrestricted.budget.holds(copies.byteCount) ? copies.add(buffer.bytes) : nil
        return PastObjects.Reached(
            found: copy.map { PastObjects.Found(row: $0, known: known) }, isDecided: copy != nil)
    }

    // MARK: Evaluation

    var nextVersion: UInt64 {
        get { objects.nextVersion }
        set { objects.nextVersion = newValue }
    }
    var schema: RowSchema { unrestricted.rows }
    var budget: Budget { unrestricted.budget }

    func begin(reading reads: [Int: MemberSet]) {
        self.reads = reads
        isUndecided = false
    }

    func row(classIndex: Int, key: UInt64) -> RowView? {
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        let object = remembered(identity, in: \.shown) {
            show(identity, wanted[classIndex] ?? MemberSet(), in: copies)
        }
        if !object.answers(reads[classIndex]) { isUndecided = true }
        return object.found?.row
    }

    func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool
    ) {
        let isEmbedded = schema.classes[originClass].definition.kind == .embedded
        var counted: Set<ObjectIdentity> = []
        objects.forEachPastOrigin(
            ofClass: classIndex, key: key, originClass: originClass, member: member
        ) { origin, isKnown in
            let holder = judge(origin)
            if !holder.isDecided { isUndecided = true }
            guard holder.isSeen, isEmbedded || !holder.hidden.contains(member) else { return true }
            var count = 1
            if isEmbedded, !holder.hidden.isEmpty {
                // An embedded object is visible if the property that contains it is.
                let rowClass = schema.classes[origin.classIndex]
                let shown = rowClass.embeddingMembers.subtracting(holder.hidden)
                guard !shown.isEmpty, counted.insert(origin).inserted else { return true }
                if isKnown, let row = objects.reach(origin).found?.row {
                    count = 0
                    schema.forEachLink(of: rowClass, in: row, only: shown, unrestricted) {
                        if $0 == schema.classes[originClass].members[member].number,
                            $1 == classIndex, $2 == key
                        {
                            count += 1
                        }
                    }
                }
            }
            guard isKnown else {
                isUndecided = true
                return true
            }
            return (0..<count).allSatisfy { _ in body(origin.classIndex, origin.key) }
        }
        if !objects.isWhole { isUndecided = true }
    }

    func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64? {
        objects.begin(reading: [:])
        let key = objects.objectKey(classIndex: classIndex, primaryKey: primaryKey)
        if objects.isUndecided { isUndecided = true }
        return key.flatMap { key in
            let target = judge(ObjectIdentity(classIndex: classIndex, key: key))
            if !target.isDecided { isUndecided = true }
            return target.isSeen ? key : nil
        }
    }

    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        unrestricted.overflowChunk(key)
    }
}

extension PastView: VisibleObjects {
    var source: any OverflowSource { unrestricted }

    func knows(_ member: Int, of rowClass: RowClass) -> Bool {
        visibility?.knows(member, of: rowClass) ?? true
    }

    func sees(classIndex: Int, key: UInt64) -> Bool {
        guard let visibility, visibility.mayHideObjects(of: classIndex) else { return true }
        return judge(ObjectIdentity(classIndex: classIndex, key: key)).isSeen
    }
}
