import HoldfastQuery
import HoldfastRows

/// Finds the objects that the followers of a query may have received since some changes began.
///
/// They may have received the state of any version since, because a client may have received a part of the later changes. So an
/// object is looked at in each version at which a decision may have been different. One thread at a time uses it.
final class PastResults {
    /// The answer to a question about the past.
    enum Answer {
        case yes
        case no
        case unknown
    }

    /// A version with the conditions that are prepared for it.
    private typealias Past = (view: PastView, conditions: [PastTest])

    /// The maximum number of versions that one object is looked at in.
    private let versionCountMax: Int
    /// The maximum number of versions that are kept prepared.
    private static let pastCountMax = 16
    /// The maximum number of versions and changes, and memory of former values, that are read to reach the view's version.
    private static let readMax = (recordCount: 100_000, formerByteCount: 16 << 20)

    let query: ObservedQuery
    private let transaction: ReadTransaction
    private let changes: FoldedChanges
    private let since: UInt64
    private let through: UInt64
    private let isWhole: Bool
    /// The tested parts of the filter.
    private let conditions: [PastTest]
    /// The properties of the object itself that each part reads. For followers that see everything, an object may have been a
    /// result if each part reads a property with an unknown former value.
    let ownReads: [MemberSet]
    /// The properties that the parts read, by class.
    private let reads: [Int: MemberSet]
    /// Whether no object can have been visible.
    private let isBlind: Bool
    private var pasts: [UInt64: Past] = [:]
    private var changesOfVisibility: [ObjectIdentity: Answer] = [:]
    private var judgementsNow: [ObjectIdentity: PastView.Judgement] = [:]

    /// - Parameters:
    ///   - query: The followed query.
    ///   - changes: The last changes.
    ///   - since: The last version at which followers had exactly the result.
    ///   - transaction: A view of the end of the changes, or of a later version.
    ///   - versionCountMax: The maximum number of versions that one object is looked at in. If there are more, its past is
    ///     unknown.
    init(
        of query: ObservedQuery, _ changes: FoldedChanges, since: UInt64,
        in transaction: ReadTransaction, versionCountMax: Int = 64
    ) {
        self.query = query
        self.versionCountMax = versionCountMax
        self.transaction = transaction
        self.since = since
        through = changes.through
        let hasVisibility = query.visibility != nil
        conditions = (query.predicate?.conjuncts ?? []).filter {
            $0 != .constant(true)
                && (hasVisibility || since >= changes.start || query.readsKeyAlone($0))
        }.map { PastTest($0, query.schema) }
        ownReads = conditions.map(\.own)
        reads = conditions.flatMap(\.reads).reduce(into: [:]) {
            $0[$1.key, default: MemberSet()].formUnion($1.value)
        }
        isBlind = query.rule == .constant(false)
        let present = (try? transaction.state().version) ?? .max
        // Followers that may read everything are informed in case of doubt.
        if hasVisibility, present > changes.through || since < changes.start,
            let all = try? FoldedChanges(
                after: since, in: transaction, recordCountMax: Self.readMax.recordCount,
                classes: query.pastClasses, formerByteCountMax: Self.readMax.formerByteCount),
            all.through == present
        {
            self.changes = all
            isWhole = true
        } else {
            self.changes = changes
            isWhole = present == changes.through
        }
    }

    /// Whether an object that is not a result now may have been one, or has a name that is not secret; unknown if the name may be
    /// secret.
    ///
    /// - `isSeen`: Whether its name is not secret.
    func wasResult(_ candidate: ObservedCandidate, isSeen: Bool) -> Answer {
        let identity = candidate.identity
        guard query.classIndex != nil else {
            return query.visibility?.mayHideObjects(of: identity.classIndex) ?? false
                ? .unknown : .yes
        }
        if conditions.isEmpty, query.rule == nil { return .yes }
        // Thousands of followers that see everything may come back at once, with a filter on a written property.
        if query.visibility == nil, let change = candidate.change,
            FoldedChanges.Change.forgets(oneOfEach: ownReads, change.forgotten)
        {
            return .yes
        }
        if isBlind, !isSeen { return .no }
        let answer = askPast(of: identity) { past in
            let object = past.view.find(identity)
            guard let found = object.found else { return object.isDecided ? .no : .unknown }
            let isExcluded = past.conditions.contains {
                $0.holds(for: found, identity.key, in: past.view) == false
            }
            return isExcluded ? .no : .yes
        }
        // An object with a name that is not secret leaves in case of doubt.
        return answer == .unknown && (isSeen || query.rule == nil) ? .yes : answer
    }

    /// Asks about each version at which a decision about an object may be different, until one answer is yes.
    private func askPast(of identity: ObjectIdentity, _ ask: (Past) -> Answer) -> Answer {
        var answer = Answer.no
        let areAll = forEachPast(of: identity) { past in
            let own = ask(past)
            if own != .no { answer = own }
            return own != .yes
        }
        return areAll || answer != .no ? answer : .unknown
    }

    /// Looks at each version at which a decision about an object may be different, until `body` returns false.
    ///
    /// - Returns: Whether all necessary versions were looked at.
    private func forEachPast(of identity: ObjectIdentity, _ body: (Past) -> Bool) -> Bool {
        guard query.visibility == nil || since >= changes.start else { return false }
        var version = since
        for _ in 0..<versionCountMax {
            let past = past(at: version)
            let (goesOn, next) = past.view.noting { body(past) }
            if !goesOn { return true }
            version = next
            if version > through { return true }
        }
        return false
    }

    private func past(at version: UInt64) -> Past {
        if let known = pasts[version] { return known }
        let unrestricted = transaction.unrestricted
        let byteCount = pasts.values.reduce(0) { $0 + $1.view.byteCount }
        if pasts.count >= Self.pastCountMax
            || byteCount > unrestricted.budget.memoryByteCountMax / 2
        {
            pasts = pasts.filter { $0.key == since }
        }
        let made = (
            PastView(
                query.visibility,
                of: PastObjects(at: version, changes, isWhole: isWhole, in: unrestricted),
                in: unrestricted, reading: reads), conditions.map { PastTest($0) }
        )
        pasts[version] = made
        return made
    }
}

// Other objects that followers saw.
extension PastResults {
    /// Whether an object has been visible at any version since, or is now.
    ///
    /// - `member`: A property of it that has to have been visible, too; nil for no property.
    func hasShown(_ identity: ObjectIdentity, _ member: Int? = nil) -> Answer {
        func isShown(_ judgement: PastView.Judgement) -> Bool {
            judgement.isSeen && !(member.map(judgement.hidden.contains) ?? false)
        }
        if isShown(judgeNow(identity)) { return .yes }
        return askPast(of: identity) { past in
            let judgement = past.view.judge(identity)
            return isShown(judgement) ? .yes : judgement.isDecided ? .no : .unknown
        }
    }

    /// Whether followers saw an object in the version before its deletion.
    func wasSeenUntilDeleted(_ identity: ObjectIdentity) -> Bool {
        guard let change = changes[identity], change.kind == .delete, change.version > since else {
            return false
        }
        return past(at: change.version - 1).view.judge(identity).isSeen
    }

    /// The links through a property that followers saw objects lose.
    struct Losses {
        var targets: Set<ObjectIdentity> = []
        /// Whether links to other objects may have been lost: yes if an object with unknown former links visibly changed, unknown
        /// if it is not known whether the change was visible.
        var others = Answer.no
    }

    /// Finds the objects to which an object showed more links at some version since than it has now. The members may contain the
    /// links, or embedded objects with them; the number is that of the links' own property. Cost: the links.
    func losses(of holder: ObjectIdentity, _ members: MemberSet, _ number: UInt32) -> Losses {
        let rowClass = query.schema.classes[holder.classIndex]
        func counts(in row: RowView) -> [ObjectIdentity: Int] {
            var counts: [ObjectIdentity: Int] = [:]
            query.schema.forEachLink(
                of: rowClass, in: row, only: members, transaction.unrestricted
            ) { held, classIndex, key in
                guard held == number, transaction.budget.spend() else { return }
                counts[ObjectIdentity(classIndex: classIndex, key: key), default: 0] += 1
            }
            return counts
        }
        let present = transaction.unrestricted.row(classIndex: holder.classIndex, key: holder.key)
        let now = present.map(counts) ?? [:]
        var losses = Losses()
        let areAll = forEachPast(of: holder) { past in
            let object = past.view.find(holder, with: members)
            guard let found = object.found else {
                if !object.isDecided { losses.others = .unknown }
                return true
            }
            guard object.answers(members) else {
                losses.others = .yes
                return false
            }
            for (target, count) in counts(in: found.row) where count > now[target] ?? 0 {
                losses.targets.insert(target)
            }
            return true
        }
        if !areAll, losses.others == .no { losses.others = .unknown }
        return losses.others == .no ? losses : Losses(others: losses.others)
    }

    /// Changed properties, by whether followers saw another value at some version since than they see now.
    struct VisibleChanges {
        /// The properties with another value.
        var sure: MemberSet
        /// The properties for which it is not known.
        var unsure = MemberSet()

        /// The properties that may have had another value.
        var all: MemberSet { sure.union(unsure) }
    }

    /// Finds the changed properties of an object that followers see differently, or may have seen differently.
    func seenChanges(_ members: MemberSet, of identity: ObjectIdentity) -> VisibleChanges {
        guard query.mayAlter(members, of: identity.classIndex),
            let part = query.visibility?.parts[identity.classIndex],
            let row = transaction.row(classIndex: identity.classIndex, key: identity.key)
        else { return VisibleChanges(sure: members) }
        var seen = VisibleChanges(sure: members.subtracting(part.altered))
        guard hasChangedVisibility(of: identity) == .no else {
            seen.unsure = members.intersection(part.altered)
            return seen
        }
        let rowClass = query.schema.classes[identity.classIndex]
        // A property without a name is never shown.
        var same = MemberSet(
            part.altered.intersection(members).subtracting(rowClass.unknown).positions
                .filter { !rowClass.hides($0, in: row) })
        let links = MemberSet(part.links)
        seen.sure.formUnion(same.subtracting(links))
        same = same.intersection(links)
        if same.isEmpty { return seen }
        // If only links to hidden objects differ, the shown value is the same as before.
        let areAll = forEachPast(of: identity) { past in
            let object = past.view.find(identity, with: same)
            guard let found = object.found, object.isDecided else {
                if !object.isDecided { seen.unsure.formUnion(same) }
                return object.isDecided
            }
            for member in same.positions {
                if !found.knows(MemberSet([member])) {
                    seen.unsure.insert(member)
                } else if rowClass.differs(
                    member, from: (found.row, transaction.unrestricted),
                    to: (row, transaction.unrestricted))
                {
                    seen.sure.insert(member)
                }
            }
            same = same.subtracting(seen.all)
            return !same.isEmpty
        }
        if !areAll { seen.unsure.formUnion(same) }
        return seen
    }

    /// Whether rules judge an object differently than at some version since.
    func hasChangedVisibility(of identity: ObjectIdentity) -> Answer {
        if let known = changesOfVisibility[identity] { return known }
        let now = judgeNow(identity)
        let answer = askPast(of: identity) { past in
            let judgement = past.view.judge(identity)
            return !judgement.isDecided ? .unknown : judgement != now ? .yes : .no
        }
        changesOfVisibility[identity] = answer
        return answer
    }

    private func judgeNow(_ identity: ObjectIdentity) -> PastView.Judgement {
        if let known = judgementsNow[identity] { return known }
        let hidden = transaction.hiddenProperties(of: identity)
        let judgement = PastView.Judgement(isSeen: hidden != nil, hidden: hidden ?? MemberSet())
        if transaction.budget.failure == nil { judgementsNow[identity] = judgement }
        return judgement
    }
}
