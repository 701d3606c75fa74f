import HoldfastQuery
import HoldfastRows

/// Finds out whether the followers of a query may have been told of an object since some changes began that they are not told of now.
///
/// It may have been a result at any version since, as a client may have been told a part of what followed: it is looked at as it was at each
/// version at which something may have decided otherwise. One thread at a time uses it.
final class FormerResults {
    /// Whether an object may have been a result.
    enum Verdict {
        /// It was, or its name is no secret.
        case mayHaveBeen
        case wasNot
        /// It is not known, and its name may be a secret.
        case undecided
    }

    /// A condition that a result satisfies, with what it reads.
    private struct Condition {
        let predicate: Predicate
        /// Of the object itself.
        let own: MemberSet
        /// Of those that paths lead to, by class.
        let reads: [Int: MemberSet]

        init(_ predicate: Predicate, _ schema: RowSchema) {
            self.predicate = predicate
            let all = predicate.dependencies(schema)
            own = MemberSet(all.filter(\.path.isEmpty).map(\.member))
            reads = all.reduce(into: [:]) {
                $0[$1.classIndex, default: MemberSet()].insert($1.member)
            }
        }
    }

    /// A version with the conditions made ready for it.
    private final class Past {
        let objects: FormerObjects
        var matchers: [Matcher?]

        init(_ objects: FormerObjects, count: Int) {
            self.objects = objects
            matchers = Array(repeating: nil, count: count)
        }
    }

    /// The most versions that one object is looked at in.
    private static let versionCountMax = 64
    /// The most versions that are kept ready.
    private static let pastCountMax = 16
    /// The most versions and changes that are read to get to what the view sees.
    private static let recordCountMax = 100_000

    private let query: ObservedQuery
    private let bare: ReadTransaction
    private let changes: FoldedChanges
    private let since: UInt64
    private let through: UInt64
    private let isWhole: Bool
    /// The conditions of the filter as far as what is shown is what is stored, then the rule of those who may not read every object.
    private let conditions: [Condition]
    private let hasRule: Bool
    /// Whether no object can have been seen.
    private let isBlind: Bool
    private var pasts: [UInt64: Past] = [:]

    /// - Parameters:
    ///   - query: The query that is followed.
    ///   - changes: What happened at last.
    ///   - since: The last version whose result followers held exactly.
    ///   - transaction: A view of the end of the changes, or of a later version.
    init(
        of query: ObservedQuery, _ changes: FoldedChanges, since: UInt64,
        in transaction: ReadTransaction
    ) {
        self.query = query
        bare = transaction.bare
        self.since = since
        through = changes.through
        let rule = query.rule
        let parts = (query.predicate?.conjuncts ?? []).filter {
            $0 != .constant(true) && !query.isAltered($0)
                && (rule != nil || since >= changes.start || query.readsKeyAlone($0))
        }
        conditions = (parts + (rule.map { [$0] } ?? [])).map { Condition($0, query.schema) }
        hasRule = rule != nil
        isBlind = rule == .constant(false)
        let present = (try? transaction.state().version) ?? .max
        // Those who may read everything are told in case of doubt.
        if hasRule, present > changes.through || since < changes.start,
            let all = try? FoldedChanges(
                after: since, in: transaction, recordCountMax: Self.recordCountMax,
                classes: query.classes), all.through == present
        {
            self.changes = all
            isWhole = true
        } else {
            self.changes = changes
            isWhole = present == changes.through
        }
    }

    /// Tells of an object that is no result now.
    ///
    /// - `isSeen`: Whether its name is no secret.
    func verdict(on identity: ObjectIdentity, isSeen: Bool) -> Verdict {
        guard query.classIndex != nil else {
            return query.sight?.mayHideObjects(of: identity.classIndex) ?? false
                ? .undecided : .mayHaveBeen
        }
        if conditions.isEmpty { return .mayHaveBeen }
        if isBlind, !isSeen { return .wasNot }
        if hasRule, since < changes.start { return isSeen ? .mayHaveBeen : .undecided }
        var (version, result) = (since, Verdict.wasNot)
        for _ in 0..<Self.versionCountMax {
            let past = past(at: version)
            switch verdict(on: identity, past, isSeen: isSeen) {
            case .mayHaveBeen: return .mayHaveBeen
            case .undecided: result = .undecided
            case .wasNot: break
            }
            version = min(past.objects.nextVersion, past.objects.nextVersion(of: identity))
            if version > through { return result }
        }
        return hasRule && !isSeen ? .undecided : .mayHaveBeen
    }

    private func verdict(
        on identity: ObjectIdentity, _ past: Past, isSeen: Bool
    ) -> Verdict {
        let reached = past.objects.find(identity)
        guard let object = reached.found else {
            return reached.isDecided ? .wasNot : hasRule && !isSeen ? .undecided : .mayHaveBeen
        }
        let filterCount = conditions.count - (hasRule ? 1 : 0)
        for position in 0..<filterCount
        where isSatisfied(position, by: object, identity.key, past) == false {
            return .wasNot
        }
        guard hasRule, !isSeen else { return .mayHaveBeen }
        switch isSatisfied(filterCount, by: object, identity.key, past) {
        case true?: return .mayHaveBeen
        case false?: return .wasNot
        case nil: return .undecided
        }
    }

    /// Whether an object satisfied a condition; nil where that is not known.
    private func isSatisfied(
        _ position: Int, by object: FormerObjects.Found, _ key: UInt64, _ past: Past
    ) -> Bool? {
        let condition = conditions[position]
        guard object.known.map({ condition.own.isSubset(of: $0) }) ?? true, bare.budget.spend()
        else { return nil }
        past.objects.begin(reading: condition.reads)
        let matcher =
            past.matchers[position]
            ?? condition.predicate.makeMatcher(bare.rows, source: past.objects)
        past.matchers[position] = matcher
        let matches = matcher.matches(row: object.row, key: key, source: past.objects)
        guard !past.objects.isUndecided, bare.budget.failure == nil else {
            // It may remember what it found of targets.
            past.matchers[position] = nil
            return nil
        }
        return matches
    }

    private func past(at version: UInt64) -> Past {
        if let known = pasts[version] { return known }
        if pasts.count >= Self.pastCountMax { pasts = pasts.filter { $0.key == since } }
        let made = Past(
            FormerObjects(at: version, changes, isWhole: isWhole, in: bare),
            count: conditions.count)
        pasts[version] = made
        return made
    }
}
