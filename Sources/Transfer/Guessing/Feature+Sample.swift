import HoldfastJSON

extension Feature {
    /// The members of the object that the feature stands for: its id, its properties, and its geometry.
    var sampleMembers: [SampleMember] {
        var members: [SampleMember] = []
        if let id, !hasProperty(Self.idName) {
            members.append(SampleMember(name: Self.idName, value: SampleValue(id)))
        }
        forEachProperty { name, value in
            // Of an object without a primary key, the properties have the id again.
            if name == Self.geometryName || id != nil && name == "$id" { return }
            members.append(SampleMember(name: name, value: SampleValue(value)))
        }
        let geometry = geometry.map { SampleValue($0) } ?? .null
        return members + [SampleMember(name: Self.geometryName, value: geometry)]
    }
}
