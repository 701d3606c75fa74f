import HoldfastRows

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
