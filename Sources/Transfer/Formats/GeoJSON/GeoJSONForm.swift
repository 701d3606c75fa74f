import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// The form of objects in GeoJSON, as lists give them: the geometry of a feature is the class's geographic point, its
/// `id` the primary key, and its properties are the properties.
struct GeoJSONForm: ObjectForm {
    private let rowClass: RowClass
    private let names: ColumnNames
    /// The property of the geometry; nil where it is left out.
    private let geometryName: String?
    /// The names of the members of the point that the geometry becomes; nil for a property of another type.
    private let pointNames: (type: String, coordinates: String)?
    private let primaryKey: String?

    /// Makes the form of a class's objects.
    ///
    /// - Throws: ``RequestFault`` if it is not clear which point of the class the geometry is.
    init(
        _ rowClass: RowClass, _ schema: RowSchema, _ names: ColumnNames
    ) throws(RequestFault) {
        self.rowClass = rowClass
        self.names = names
        primaryKey = rowClass.primaryKeyIndex.map { rowClass.definition.properties[$0].name }
        let name = try Self.geometryName(rowClass, schema, names)
        geometryName = name
        let member = name.flatMap { rowClass.member(named: $0) }
        let point = member.flatMap { schema.point(of: rowClass, $0) }
        pointNames = point.flatMap { point in
            point.definition.pointMembers.map { members in
                let properties = point.definition.properties
                return (properties[members.type].name, properties[members.coordinates].name)
            }
        }
    }

    /// The property of the geometry: the one that an option names, the only point of the class, or `geometry`.
    private static func geometryName(
        _ rowClass: RowClass, _ schema: RowSchema, _ names: ColumnNames
    ) throws(RequestFault) -> String? {
        let own = Feature.geometryName
        if names.names(own) { return names.property(own) }
        let points = schema.points(of: rowClass).map { rowClass.definition.properties[$0].name }
        if points.count < 2 { return points.first ?? own }
        if points.contains(where: { $0.isSame(as: own) }) { return own }
        throw .parameter(
            "map",
            "Class '\(rowClass.definition.name)' has several geographic points: "
                + "\(points.joined(separator: ", ")). Name the one that the geometry is, such as "
                + "map=geometry=\(points[0]), or leave it out (skip=geometry).")
    }

    // MARK: Features

    func write(_ object: JSONValue, to writer: JSONWriter) -> RequestFault.Entry? {
        let feature: Feature
        do throws(Feature.Malformed) { feature = try Feature(object) } catch {
            return RequestFault.Entry(
                code: "wrong-type", detail: error.detail, pointer: error.pointer)
        }
        if let fault = geometryFault(feature) { return fault }
        writer.object { members in
            var seen = Seen(primaryKey)
            feature.forEachProperty { name, value in
                guard let property = property(name) else { return }
                // The feature's own geometry comes before a property of the name.
                if feature.hasGeometry, isGeometry(property) { return }
                seen.note(property, isGeometry: isGeometry(property))
                members.member(named: property).copy(value)
            }
            if let id = feature.id, !id.isNull, let property = idProperty(feature, id, seen) {
                members.member(named: property).copy(id)
            }
            if let geometry = feature.geometry, let geometryName, !seen.hasGeometry {
                writeGeometry(geometry, to: members.member(named: geometryName))
            }
        }
        return nil
    }

    /// The names that the properties of a feature state.
    private struct Seen {
        private let primaryKey: String?
        private(set) var hasKey = false
        private(set) var hasID = false
        private(set) var hasGeometry = false
        private(set) var hasOwnKey = false

        init(_ primaryKey: String?) { self.primaryKey = primaryKey }

        mutating func note(_ property: String, isGeometry: Bool) {
            if isGeometry { hasGeometry = true }
            if property.isSame(as: Feature.idName) { hasID = true }
            if property.isSame(as: "$id") { hasOwnKey = true }
            if let primaryKey, property.isSame(as: primaryKey) { hasKey = true }
        }
    }

    /// The property of a member of a feature's properties; nil where it is left out.
    private func property(_ name: String) -> String? {
        // The name that an option gives to the geometry is not that of such a member.
        name.isSame(as: Feature.geometryName) ? name : names.property(name)
    }

    private func isGeometry(_ property: String) -> Bool {
        geometryName?.isSame(as: property) == true
    }

    // MARK: Identifiers

    /// The property of a feature's identifier; nil where it is left out: the one that an option names, the primary key or
    /// `id`, unless the properties state it.
    private func idProperty(_ feature: Feature, _ id: JSONValue, _ seen: Seen) -> String? {
        let own = Feature.idName
        if names.skipped.contains(own) { return nil }
        if names.names(own), !feature.hasProperty(own) { return names.property(own) }
        if let primaryKey, !seen.hasKey { return primaryKey }
        if !seen.hasID, rowClass.member(named: own) != nil { return own }
        // As a class without a primary key is listed.
        return primaryKey == nil && !seen.hasOwnKey && id.exactInt64 != nil ? "$id" : nil
    }

    // MARK: Geometries

    private func writeGeometry(_ geometry: JSONValue, to writer: JSONWriter) {
        guard let pointNames, let coordinates = geometry.member(named: "coordinates"),
            Self.isPoint(geometry.member(named: "type"))
        else { return writer.copy(geometry) }
        writer.object { point in
            point.member(named: pointNames.type).string("Point")
            point.member(named: pointNames.coordinates).copy(coordinates)
        }
    }

    private static func isPoint(_ type: JSONValue?) -> Bool {
        type?.stringBytes?.elementsEqual("Point".utf8) == true
    }

    /// The fault of a geometry that is no point, for a property that takes points.
    private func geometryFault(_ feature: Feature) -> RequestFault.Entry? {
        guard pointNames != nil, let geometryName,
            let type = feature.geometry?.member(named: "type"), !Self.isPoint(type)
        else { return nil }
        let found = type.string.map { "a \(RequestFault.shown($0))" } ?? ObjectReader.describe(type)
        return RequestFault.Entry(
            code: "wrong-type",
            detail:
                "The geometry is \(found), and property '\(geometryName)' takes a Point. Leave the geometry out "
                + "(skip=geometry), or name a property of type 'mixed' for it (map=geometry=NAME).",
            pointer: "/geometry")
    }
}
