import HoldfastQuery
import HoldfastRows

/// A property of other objects that concerns a query, with the path from them back to the query's own objects.
///
/// A filter or an expanded link reads other objects along paths. When one of these changes, the path is walked backwards: along
/// inverse links for a step forward, along the links themselves for a step back. The newer state is enough: if a link on the path
/// changed, its holder has changed too, or its former target is among the lost links.
struct LinkedDependency: Hashable, Sendable {
    /// The change that sets it off.
    enum Trigger: Hashable, Sendable {
        /// A change of a property of the objects of a class.
        case property(classIndex: Int, member: Int)
        /// The loss of a link that a property held to an object of a class.
        case loss(classIndex: Int, propertyNumber: UInt32)
    }

    let trigger: Trigger
    /// The path from the query's objects to the changed one.
    let steps: [PathStep]
    /// See ``Dependency/firstMember``.
    let firstMember: Int?

    /// The class of the objects that set it off; nil for embedded objects, because their owners may be of any class.
    func classIndex(_ schema: RowSchema) -> Int? {
        let index = targetClass
        return schema.classes[index].definition.kind == .embedded ? nil : index
    }

    private var targetClass: Int {
        switch trigger {
        case .property(let index, _), .loss(let index, _): index
        }
    }

    /// The classes on the path, including both ends.
    var classes: Set<Int> {
        Set(steps.flatMap { [$0.fromClass, $0.toClass] }).union([targetClass])
    }

    /// Whether a change of an object sets it off.
    ///
    /// - `members`: The changed properties of an update.
    func isTriggered(
        by kind: ChangeRecord.Kind, _ members: MemberSet, of identity: ObjectIdentity,
        _ schema: RowSchema
    ) -> Bool {
        guard case .property(let classIndex, let member) = trigger, kind != .delete else {
            return false
        }
        if schema.classes[classIndex].definition.kind == .embedded {
            // The properties of embedded objects are not logged, only the owner's property.
            return kind == .insert
                || schema.classes[identity.classIndex].members.indices.contains { own in
                    members.contains(own)
                        && schema.classes[identity.classIndex].members[own].storage.element
                            == .embedded
                }
        }
        return identity.classIndex == classIndex && (kind == .insert || members.contains(member))
    }

    /// Whether the loss of a link sets it off.
    func isTriggered(by lost: LostLink, _ schema: RowSchema) -> Bool {
        guard case .loss(let classIndex, let number) = trigger else { return false }
        return lost.propertyNumber == number
            && schema.classIndexByNumber[lost.classNumber] == classIndex
    }
}

extension FoldedChanges {
    /// Passes on the objects that set off a watch, until `body` returns false.
    ///
    /// - `since`: Objects that have not changed after this version are left out. Losses have no version.
    /// - Returns: Whether `body` never returned false.
    func forEachTrigger(
        of watch: LinkedDependency, since version: UInt64, _ schema: RowSchema,
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
