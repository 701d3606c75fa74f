import HoldfastJSON
import HoldfastObjectJSON

/// A feature of GeoJSON (RFC 7946, section 3.2): an object with `id`, `geometry` and `properties`.
struct Feature {
    /// The identifier; nil without one.
    let id: JSONValue?
    /// The geometry; nil without one, and null for a feature without a place.
    let geometry: JSONValue?
    private let json: JSONValue?

    /// The name of the geometry among the names that options give to members.
    static let geometryName = "geometry"
    /// The name of the identifier, which a member of the properties may have as well.
    static let idName = "id"

    /// Reads a feature.
    ///
    /// - Throws: ``Malformed`` for other JSON.
    init(_ json: JSONValue) throws(Malformed) {
        guard json.member(named: "type")?.stringBytes?.elementsEqual("Feature".utf8) == true else {
            let type = json.member(named: "type")?.string.map {
                "an object of type '\(RequestFault.shown($0))'"
            }
            throw Malformed(
                pointer: "/type",
                detail:
                    "Expected a Feature of GeoJSON, an object with \"type\":\"Feature\"; found "
                    + (type ?? "an object of no type") + ".")
        }
        id = json.member(named: "id")
        geometry = json.member(named: "geometry")
        guard let properties = json.member(named: "properties"), !properties.isNull else {
            self.json = nil
            return
        }
        guard properties.kind == .object else {
            throw Malformed(
                pointer: "/properties",
                detail:
                    "The properties of a Feature are an object or null; found "
                    + "\(ObjectReader.describe(properties)).")
        }
        self.json = properties
    }

    /// The fault of JSON that is not a feature.
    struct Malformed: Error {
        var pointer: String
        var detail: String
    }

    /// Whether the feature has a geometry.
    var hasGeometry: Bool { geometry?.isNull == false }

    /// Calls `body` with each member of the properties.
    func forEachProperty(_ body: (_ name: String, _ value: JSONValue) -> Void) {
        guard let json else { return }
        for member in json.members {
            body(String(decoding: member.name, as: UTF8.self), member.value)
        }
    }

    /// Whether the properties have a member of a name.
    func hasProperty(_ name: String) -> Bool { json?.member(named: name) != nil }
}
