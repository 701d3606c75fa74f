import HoldfastQuery
import HoldfastRows

/// Two successive states, and the changes between them. On one thread.
package final class ChangeStep {
    /// The state that the step begins with.
    package private(set) lazy var before = whole.before.restricted(to: visibility)
    /// The state that it leads to.
    package private(set) lazy var after = whole.after.restricted(to: visibility)
    private let whole: (before: StoreView, after: StoreView)
    private let visibility: Visibility?
    /// The change log from `before` to `after`.
    package let changes: FoldedChanges
    /// Whether it deletes objects after its first version. By then they may have differed from the state before the step.
    private(set) lazy var deletesLater =
        changes.isOfSeveralVersions && changes.outcomes.contains { $0.kind == .delete }
    /// The time for reporting the step; nil for no limit.
    package var budget: StepBudget?
    /// The same step through the visibilities of its followers.
    private var restricted: [ObjectIdentifier: ChangeStep] = [:]

    /// Makes a step with the changes from one view to the other.
    package convenience init(before: StoreView, after: StoreView, changes: FoldedChanges) {
        self.init((before, after), changes, nil)
    }

    private init(
        _ whole: (before: StoreView, after: StoreView), _ changes: FoldedChanges,
        _ visibility: Visibility?
    ) {
        (self.whole, self.changes, self.visibility) = (whole, changes, visibility)
    }

    /// The step as it is shown through a visibility; the step itself for nil.
    ///
    /// - `visibility`: A visibility of the views' schema.
    package func shown(by visibility: Visibility?) -> ChangeStep {
        guard let visibility else { return self }
        if let known = restricted[ObjectIdentifier(visibility)] { return known }
        // Its views keep the visibility.
        let made = ChangeStep(whole, changes, visibility)
        restricted[ObjectIdentifier(visibility)] = made
        return made
    }

    /// The step as it is shown through a visibility, for reporting its events.
    ///
    /// - `events`: The reported events. Rules are not asked again whether their objects are visible.
    package func shown(by visibility: Visibility?, reporting events: [QueryEvent]) -> ChangeStep {
        guard let visibility else { return self }
        let step = shown(by: visibility)
        for event in events where event.kind == .enter || event.kind == .update {
            step.after.restricted?.admit(event.identity)
        }
        return step
    }

    /// The step and one of its objects as they are shown through a visibility.
    func shown(
        _ object: ChangedObject, by visibility: Visibility?
    ) -> (step: ChangeStep, object: ChangedObject) {
        guard let visibility else { return (self, object) }
        let step = shown(by: visibility)
        let (key, rowClass) = (object.identity.key, after.rows.classes[object.identity.classIndex])
        return (
            step,
            ChangedObject(
                identity: object.identity, change: object.change,
                before: object.before.flatMap { step.before.shown(rowClass, key, $0) },
                after: object.after.flatMap { step.after.shown(rowClass, key, $0) })
        )
    }

    /// Releases the memory of rows that were made for a visibility. These rows must not be read any more.
    func releaseCopies() {
        if visibility == nil { return }
        before.restricted?.releaseCopies()
        after.restricted?.releaseCopies()
    }

    /// Limits the time of evaluations on both views, see ``ReadTransaction/beginFollowing(until:)``.
    ///
    /// - `allowance`: Decides whether an evaluation may continue; nil for no allowance.
    func limit(until deadline: UInt64, _ allowance: FeedAllowance? = nil) {
        for view in [whole.before, whole.after] {
            view.beginFollowing(until: deadline)
            view.timeSlice = allowance
        }
    }

    /// The deadline of evaluations on both views, in milliseconds of the monotonic clock. Setting it does not change the spent
    /// budget.
    var deadline: UInt64 {
        get { whole.after.budget.deadlineMilliseconds }
        set {
            whole.before.budget.deadlineMilliseconds = newValue
            whole.after.budget.deadlineMilliseconds = newValue
        }
    }

    /// Whether a view is late. Objects read from then on may be missing.
    var isLate: Bool { whole.before.isLate || whole.after.isLate }

    /// An object that changed or is reached from a changed one, with its rows in both states.
    func object(_ identity: ObjectIdentity) -> ChangedObject {
        let change = changes[identity]
        let before =
            change?.kind == .insert
            ? nil : before.row(classIndex: identity.classIndex, key: identity.key)
        let after =
            change?.kind == .delete
            ? nil : after.row(classIndex: identity.classIndex, key: identity.key)
        return ChangedObject(identity: identity, change: change, before: before, after: after)
    }
}

/// An object that a step concerns. Its rows are read once for all filters; they are valid as long as both views.
struct ChangedObject {
    let identity: ObjectIdentity
    /// Its own change; nil for an object that is only reached along links.
    let change: FoldedChanges.Change?
    let before: RowView?
    let after: RowView?

    var members: MemberSet { change?.members ?? MemberSet() }

    /// Whether it is there before and after, and did not itself change the value at a place or the path to it.
    func isSame(at place: IndexedPath) -> Bool {
        before != nil && after != nil && !members.contains(place.firstMember)
    }
}
