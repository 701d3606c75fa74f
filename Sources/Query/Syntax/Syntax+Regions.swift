/// `geoWithin` and what stands on its right.
extension Syntax {
    /// A point in a region.
    struct Within {
        var left: Operand
        var region: Region
        /// The offset of the operator.
        var start: Int
    }

    /// A part of the Earth.
    struct Region {
        enum Kind {
            case argument(Int)
            case box(Point, Point)
            case circle(Point, radians: Constant)
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
