import HoldfastQuery
import HoldfastRows

/// A property of other objects that concerns a query, with the way back from them to the query's own objects.
///
/// A filter or an expanded link reads other objects along paths. When one of those changes, the path is walked
/// backwards: along inverse links for a step forward, along the links themselves for a step back. It is enough
/// to walk in the newer state: where a link on the path changed, its holder has changed too, or its former
/// target is listed among the lost links.
struct Watch: Hashable, Sendable {
    /// The change that sets it off.
    enum Trigger: Hashable, Sendable {
        /// A change of a property of the objects of a class.
        case property(classIndex: Int, member: Int)
        /// The loss of a link that a property held to an object of a class.
        case loss(classIndex: Int, propertyNumber: UInt32)
    }

    let trigger: Trigger
    /// The way from the query's objects to the one that changed.
    let steps: [PathStep]
    /// See ``Dependency/firstMember``.
    let firstMember: Int?

    /// The class whose objects set it off; nil for embedded objects, whose owners may be of any class.
    func classIndex(_ schema: RowSchema) -> Int? {
        let index = targetClass
        return schema.classes[index].definition.kind == .embedded ? nil : index
    }

    private var targetClass: Int {
        switch trigger {
        case .property(let index, _), .loss(let index, _): index
        }
    }

    /// The classes on the way, with both ends.
    var classes: Set<Int> {
        Set(steps.flatMap { [$0.fromClass, $0.toClass] }).union([targetClass])
    }

    /// Whether a change of an object sets it off.
    ///
    /// - `members`: Of an update the properties that changed.
    func isTriggered(
        by kind: ChangeRecord.Kind, _ members: MemberSet, of identity: ObjectIdentity,
        _ schema: RowSchema
    ) -> Bool {
        guard case .property(let classIndex, let member) = trigger, kind != .delete else {
            return false
        }
        if schema.classes[classIndex].definition.kind == .embedded {
            // The properties of embedded objects are not logged, only that of the owner.
            return kind == .insert
                || schema.classes[identity.classIndex].members.indices.contains { own in
                    members.contains(own)
                        && schema.classes[identity.classIndex].members[own].storage.element
                            == .embedded
                }
        }
        return identity.classIndex == classIndex
            && (kind == .insert || members.contains(member))
    }

    /// Whether the loss of a link sets it off.
    func isTriggered(by lost: LostLink, _ schema: RowSchema) -> Bool {
        guard case .loss(let classIndex, let number) = trigger else { return false }
        return lost.propertyNumber == number
            && schema.classIndexByNumber[lost.classNumber] == classIndex
    }
}

extension FoldedChanges {
    /// Hands over the objects that set off a watch, until `body` returns false.
    ///
    /// - `since`: Leaves out those that have not changed since this version; losses have none.
    /// - Returns: Whether it never did.
    func forEachTrigger(
        of watch: Watch, since version: UInt64, _ schema: RowSchema,
        _ body: (ObjectIdentity) -> Bool
    ) -> Bool {
        if case .loss(let classIndex, _) = watch.trigger {
            return lostLinks.allSatisfy { lost in
                !watch.isTriggered(by: lost, schema)
                    || body(ObjectIdentity(classIndex: classIndex, key: lost.key))
            }
        }
        return zip(order, outcomes).allSatisfy { identity, change in
            guard change.version > version,
                watch.isTriggered(by: change.kind, change.members, of: identity, schema)
            else { return true }
            return body(identity)
        }
    }
}
