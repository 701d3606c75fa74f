import CHoldfastGeometry

/// A point on the Earth as longitude and latitude, in degrees.
package struct GeoPoint: Hashable, Sendable {
    /// East of Greenwich; −180 to 180.
    package var longitude: Double
    /// North of the equator; −90 to 90.
    package var latitude: Double

    /// Makes a point, whether it is on the Earth or not.
    package init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    /// Whether both are numbers within their bounds.
    package var isValid: Bool { longitude.magnitude <= 180 && latitude.magnitude <= 90 }

    /// The S2 cell that the point lies in, of about a square centimetre; nil for a point that is not valid.
    ///
    /// Cells that are near each other mostly have ids that are near each other, and all cells within a
    /// larger one follow each other. Cost: some 100 ns.
    package var leafCell: UInt64? {
        let cell = HFLeafCell(longitude, latitude)
        return cell == 0 ? nil : cell
    }
}

extension GeoPoint: CustomStringConvertible {
    /// The point as it is written in a query.
    package var description: String { "[\(longitude), \(latitude)]" }
}
