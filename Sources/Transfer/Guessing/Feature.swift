import HoldfastJSON

/// A feature of GeoJSON (RFC 7946, section 3.2).
enum Feature {
    /// The command that makes a line of each feature, with the same members as ``members(of:)``.
    static let command =
        #"jq -c '.features[] | (if has("id") then {id} else {} end) + .properties + {geometry}'"#

    /// Returns the members of the object that a feature stands for: its id, its properties, and its geometry.
    static func members(of feature: JSONValue) -> [SampleMember] {
        let properties = feature.member(named: "properties").map { SampleMember.all(of: $0) } ?? []
        var members: [SampleMember] = []
        if let id = feature.member(named: "id"), !properties.contains(where: { $0.name == "id" }) {
            members.append(SampleMember(name: "id", value: SampleValue(id)))
        }
        members += properties.filter { $0.name != "geometry" }
        let geometry = feature.member(named: "geometry").map { SampleValue($0) } ?? .null
        members.append(SampleMember(name: "geometry", value: geometry))
        return members
    }
}
