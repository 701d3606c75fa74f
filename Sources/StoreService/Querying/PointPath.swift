import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastText

/// The path from an object to the geographic point that represents it: through to-one links and embedded objects.
struct PointPath: Sendable {
    private let steps: [PathStep]
    let pointClass: RowClass

    /// The property of the object itself that holds the point; nil where that lies further away.
    var ownMember: Int? { steps.count == 1 ? steps[0].member : nil }

    /// Reads a path such as `location` or `home.location`; without one it is the only point of the class.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a path that leads to no point, or when there are several;
    ///   `.notAcceptable` for a class without a point.
    init(_ text: QueryText, of rowClass: RowClass, _ schema: RowSchema) throws(RequestFault) {
        guard let path = text.geometry else {
            let known = schema.points(of: rowClass)
            guard let only = known.first else {
                throw RequestFault(
                    .notAcceptable, "no-geometry",
                    "Class '\(rowClass.definition.name)' has no geographic point, so it has no GeoJSON: an "
                        + "embedded object with a string 'type' and a list of doubles 'coordinates'. "
                        + "'geometry' may name one behind links; application/json is available too."
                )
            }
            guard known.count == 1 else {
                let names = known.map { rowClass.definition.properties[$0].name }
                throw text.fault(
                    "geometry",
                    "Class '\(rowClass.definition.name)' has several geographic points; 'geometry' is one of "
                        + "\(names.joined(separator: ", ")).")
            }
            steps = [PathStep(along: only, of: rowClass)]
            pointClass = schema.classes[rowClass.members[only].classIndex]
            return
        }
        var steps: [PathStep] = []
        var present = rowClass
        let stepCountMax = FieldSelection.pathStepCountMax
        for name in path.split(
            separator: ".", maxSplits: stepCountMax, omittingEmptySubsequences: false)
        {
            guard steps.count < stepCountMax else {
                throw text.fault("geometry", "A path has at most \(stepCountMax) steps.")
            }
            guard let member = present.member(named: String(name)) else {
                throw Self.unknown(String(name), present, text)
            }
            let compiled = present.members[member]
            guard compiled.storage.shape == .single, compiled.classIndex >= 0 else {
                throw text.fault(
                    "geometry",
                    "'\(name)' is not a to-one link or embedded object; 'geometry' follows these to a "
                        + "geographic point.")
            }
            steps.append(PathStep(along: member, of: present))
            present = schema.classes[compiled.classIndex]
        }
        guard present.isPointClass else {
            throw text.fault(
                "geometry",
                "'\(RequestFault.shown(path))' leads to no geographic point: an embedded object with a string "
                    + "'type' and a list of doubles 'coordinates'.")
        }
        self.steps = steps
        pointClass = present
    }

    private static func unknown(_ name: String, _ rowClass: RowClass, _ text: QueryText)
        -> RequestFault
    {
        let shown = RequestFault.shown(name)
        var fault = text.fault(
            "geometry", "Class '\(rowClass.definition.name)' has no property '\(shown)'.",
            code: "unknown-property")
        fault.errors[0].hint = NearestName.of(name, among: rowClass.knownNames)
        return fault
    }

    /// The point of an object; nil if it is missing, is no point, or does not lie on the Earth.
    func point(
        of row: RowView, _ read: ReadTransaction
    ) -> (longitude: Double, latitude: Double, altitude: Double?)? {
        guard let row = read.row(behind: steps[...], from: row),
            let point = pointClass.point(in: row, read), point.longitude.magnitude <= 180,
            point.latitude.magnitude <= 90
        else { return nil }
        let altitude = pointClass.altitude(in: row, read)
        return (point.longitude, point.latitude, altitude.flatMap { $0.isFinite ? $0 : nil })
    }
}
