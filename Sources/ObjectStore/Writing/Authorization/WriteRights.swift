import HoldfastQuery
import HoldfastRows

/// The rights of a writer to the objects of a store, made ready for one schema. Immutable; any thread may use it.
package struct WriteRights: Sendable {
    /// The rights of a role to the objects of a class. Conditions are asked on the unrestricted store; the constant false is
    /// nothing.
    package struct Role: Hashable, Sendable {
        /// The place of the role in the access document, only for the log.
        package var place: String
        /// The objects that may be created, as they are at a transaction's end.
        package var create: Predicate
        /// The objects that may be changed, as they are when a transaction begins.
        package var before: Predicate
        /// The same, as they are at its end.
        package var after: Predicate
        /// The objects that may be deleted, as they are when a transaction begins.
        package var delete: Predicate
        /// The properties that may be stated of objects that are created.
        package var stated: MemberSet
        package var changed: MemberSet

        /// Makes a role.
        package init(
            place: String, create: Predicate, before: Predicate, after: Predicate,
            delete: Predicate, stated: MemberSet, changed: MemberSet
        ) {
            self.place = place
            self.create = create
            self.before = before
            self.after = after
            self.delete = delete
            self.stated = stated
            self.changed = changed
        }
    }

    /// The user; nil if nobody has signed in.
    let user: String?
    /// The readable part.
    let visibility: Visibility
    /// The active roles, with the actions that they allow on a class, by its position.
    let roles: @Sendable (_ classIndex: Int) -> [Role]
    /// Finds the object that decides on the active roles, by its own changes or changes of objects that it leads to; nil if no
    /// object does.
    let deciding: @Sendable (StoreView) throws(StoreError) -> ObservedQuery?

    /// Makes rights.
    ///
    /// - Parameters:
    ///   - user: The user; nil for a visitor without a session.
    ///   - visibility: The readable part. Only this part can be changed or deleted.
    ///   - deciding: Finds the object that decides on the active roles, on a view that shows everything.
    ///   - roles: The active roles, with the actions that they allow on a class, by its position.
    package init(
        of user: String?, visibility: Visibility,
        deciding: @escaping @Sendable (StoreView) throws(StoreError) -> ObservedQuery? = { _ in nil
        }, roles: @escaping @Sendable (_ classIndex: Int) -> [Role]
    ) {
        self.deciding = deciding
        self.user = user
        self.visibility = visibility
        self.roles = roles
    }
}

extension WriteRights.Role {
    /// The place of its rule for an action in the access document, or of its rules if there is no such rule.
    func place(of action: RefusedAct.Action) -> String {
        let isExplicit =
            switch action {
            case .create: create != .constant(false)
            case .update: before != .constant(false) || after != .constant(false)
            case .delete: delete != .constant(false)
            }
        return isExplicit ? "\(place)/\(action.rawValue)" : place
    }
}
