/// An embedded object that is a point, or a list of them.
public protocol _QueryPoint {}
extension EmbeddedObject: _QueryPoint {}
extension Optional: _QueryPoint where Wrapped: EmbeddedObject {}
extension List: _QueryPoint where Element: EmbeddedObject {}
extension Map: _QueryPoint where Value: _QueryPoint {}

extension Query where T: _QueryPoint {
    /// Whether the point, or one of several, lies in a box.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { compared("geoWithin", box) }
    /// Whether the point, or one of several, lies in a circle.
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { compared("geoWithin", circle) }
    /// Whether the point, or one of several, lies in a polygon.
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { compared("geoWithin", polygon) }
}
