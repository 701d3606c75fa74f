/// The properties that make a point in a class of points in GeoJSON's form.
package struct PointMembers: Hashable, Sendable {
    /// The position of `type`, a string: `"Point"` in any case.
    package var type: Int
    /// The position of `coordinates`, a list of doubles: longitude, latitude, and perhaps an altitude.
    package var coordinates: Int
}

extension ObjectClass {
    /// The properties of a point in objects of the class: an embedded one with a string `type` and a list of
    /// doubles `coordinates`, by their own names or by those that they are mapped to; nil for another.
    package var pointMembers: PointMembers? {
        guard kind == .embedded, let type = position(of: "type"),
            let coordinates = position(of: "coordinates"),
            properties[type].type == .single(.scalar(.string)),
            properties[coordinates].type == .list(.scalar(.double)),
            !properties[coordinates].isOptional
        else { return nil }
        return PointMembers(type: type, coordinates: coordinates)
    }

    private func position(of name: String) -> Int? {
        propertyIndex(named: name) ?? properties.firstIndex { $0.mapTo == name }
    }
}
