import HoldfastQuery
import HoldfastRows

/// The paths along links that followers saw since some version, or see now. One thread at a time uses it.
///
/// Each object and link of a path is looked at by itself: if they were visible only at different times, followers saw the first
/// one come or go.
final class VisiblePaths {
    private let former: PastResults
    private let changes: FoldedChanges
    private let version: UInt64
    private let unrestricted: StoreView
    /// The lost links, by the number of the property.
    private var losses: [UInt32: PastResults.Losses] = [:]
    private let judgedCountMax: Int
    private var judgedOtherwise: [Int: [(identity: ObjectIdentity, isSure: Bool)]] = [:]
    /// Whether the present walk has met an object or link of which it is not known whether it was visible.
    private var hasMetUnknown = false

    private var schema: RowSchema { unrestricted.rows }

    /// - `judgedCountMax`: The maximum number of objects of a class that are judged because values that rules read have changed.
    init(
        _ former: PastResults, _ changes: FoldedChanges, since version: UInt64,
        in unrestricted: StoreView, judgedCountMax: Int
    ) {
        (self.former, self.changes, self.version, self.unrestricted) = (
            former, changes, version, unrestricted
        )
        self.judgedCountMax = judgedCountMax
    }

    /// Passes on the objects from which a path leads to an object, until `body` returns false, each with whether it is known that
    /// the path and the change at its end were visible.
    ///
    /// - Returns: Whether `body` never returned false.
    func forEach(
        from root: Int, to identity: ObjectIdentity, along steps: [PathStep], _ isSure: Bool,
        _ body: (_ key: UInt64, _ isSure: Bool) -> Bool
    ) -> Bool {
        hasMetUnknown = false
        func walk(orUnknown: Bool) -> Bool {
            ReversePath(
                rootClass: root, transaction: unrestricted,
                leadsThrough: { self.isPassable($0, $1, orUnknown: orUnknown) }
            ).forEach(to: identity, along: steps) { body($0, !orUnknown) }
        }
        if isSure {
            guard walk(orUnknown: false) else { return false }
            if !hasMetUnknown { return true }
        }
        return walk(orUnknown: true)
    }

    private func isPassable(_ holder: ObjectIdentity, _ member: Int?, orUnknown: Bool) -> Bool {
        switch former.hasShown(holder, member) {
        case .yes: return true
        case .no: return false
        case .unknown:
            hasMetUnknown = true
            return orUnknown
        }
    }

    /// Passes on the objects that set off a watch by their shown values, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    func forEachTrigger(
        of watch: LinkedDependency, _ body: (ObjectIdentity, _ isSure: Bool) -> Bool
    ) -> Bool {
        changes.forEachTrigger(of: watch, since: version, schema) { identity in
            let answer: PastResults.Answer
            switch watch.trigger {
            case .property(let classIndex, let member):
                answer = hasShownChange(
                    of: identity,
                    schema.classes[identity.classIndex].members(
                        holding: member, of: schema.classes[classIndex]))
            case .loss(_, let number): answer = hasShown(lossOf: number, by: identity)
            }
            return answer == .no || body(identity, answer == .yes)
        }
    }

    /// Whether some of an object's possibly changed properties were visible, and are shown differently than before.
    private func hasShownChange(
        of identity: ObjectIdentity, _ members: MemberSet
    ) -> PastResults.Answer {
        var members = members
        if let change = changes[identity], change.kind == .update {
            members = former.seenChanges(members.intersection(change.members), of: identity).all
        }
        var strongest = PastResults.Answer.no
        for member in members.positions {
            let answer = former.hasShown(identity, member)
            // After a failure nothing is reported.
            if answer == .yes || !unrestricted.budget.spend() { return .yes }
            if answer == .unknown { strongest = .unknown }
        }
        return strongest
    }

    /// Whether a link to an object was visible that some object has lost since.
    private func hasShown(lossOf number: UInt32, by target: ObjectIdentity) -> PastResults.Answer {
        let losses = losses[number] ?? findLosses(number)
        self.losses[number] = losses
        if losses.targets.contains(target) { return .yes }
        return losses.others == .no || former.hasShown(target) == .no ? .no : losses.others
    }

    private func findLosses(_ number: UInt32) -> PastResults.Losses {
        var found = PastResults.Losses()
        guard let origin = schema.memberByNumber[number] else { return found }
        let holders = changes.holders(
            of: origin.member, of: schema.classes[origin.classIndex], schema)
        for holder in holders where unrestricted.budget.spend() {
            let lost = former.losses(of: holder.identity, holder.members, number)
            found.targets.formUnion(lost.targets)
            if lost.others == .yes || found.others == .no { found.others = lost.others }
        }
        return found
    }

    /// Passes on the objects that some rules judge, or may judge, differently than before, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false, and there were not too many objects to judge.
    func forEachJudgedOtherwise(
        by admission: Visibility.Admission, _ body: (ObjectIdentity, _ isSure: Bool) -> Bool
    ) -> Bool {
        let classIndex = admission.classIndex
        guard let known = judgedOtherwise[classIndex] ?? find(of: classIndex, admission.rules)
        else { return false }
        judgedOtherwise[classIndex] = known
        return known.allSatisfy { body($0.identity, $0.isSure) }
    }

    private func find(
        of classIndex: Int, _ rules: [Predicate]
    ) -> [(identity: ObjectIdentity, isSure: Bool)]? {
        let plan = DependencyPlan(rules.flatMap { $0.dependencies(schema) }, schema: schema)
        var met: Set<ObjectIdentity> = []
        for (identity, change) in zip(changes.order, changes.outcomes)
        where identity.classIndex == classIndex && change.version > version
            && change.kind != .delete && !change.members.isDisjoint(with: plan.ownMembers)
        {
            met.insert(identity)
        }
        let origins = ReversePath(rootClass: classIndex, transaction: unrestricted)
        for watch in plan.watches {
            _ = changes.forEachTrigger(of: watch, since: version, schema) { identity in
                origins.forEach(to: identity, along: watch.steps) { key in
                    met.insert(ObjectIdentity(classIndex: classIndex, key: key))
                    return met.count <= judgedCountMax && unrestricted.budget.spend()
                }
            }
        }
        if met.count > judgedCountMax { return nil }
        return met.compactMap { identity in
            let answer = former.hasChangedVisibility(of: identity)
            return answer == .no ? nil : (identity, answer == .yes)
        }
    }
}
