/// `geoWithin` and what stands on its right.
extension Syntax {
    /// A point in a region.
    struct Within {
        var left: Operand
        var region: Region
        /// The offset of the operator.
        var start: Int
    }

    /// A region of the Earth's surface.
    struct Region {
        enum Kind {
            case argument(Int)
            case box(Point, Point)
            /// `unit`: How many radians a unit of length has; nil where the radius is in radians.
            case circle(Point, radius: Constant, unit: Double?)
            case polygon([[Point]])
        }

        var kind: Kind
        var start: Int
        var end: Int
    }

    /// `[longitude, latitude]`, perhaps with an altitude, which says nothing here.
    struct Point {
        var longitude: Constant
        var latitude: Constant
        var altitude: Constant?
        var start: Int
        var end: Int
    }
}
