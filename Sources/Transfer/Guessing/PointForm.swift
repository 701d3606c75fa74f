import HoldfastObjectModel

/// The form of points in GeoJSON.
enum PointForm {
    /// Whether all objects are points: `{"type":"Point","coordinates":[13.4,52.5]}`, in any order of the members.
    static func fits(_ objects: [[SampleMember]]) -> Bool {
        !objects.isEmpty
            && objects.allSatisfy { members in
                guard members.count == 2, let type = members.first(where: { $0.name == "type" }),
                    let coordinates = members.first(where: { $0.name == "coordinates" }),
                    case .text("Point") = type.value, case .list(let elements) = coordinates.value,
                    (2...3).contains(elements.count)
                else { return false }
                let numbers = elements.compactMap(number)
                return numbers.count == elements.count && numbers[0].magnitude <= 180
                    && numbers[1].magnitude <= 90
            }
    }

    private static func number(_ value: SampleValue) -> Double? {
        switch value {
        case .number(let text), .typed(.double, let text), .typed(.int, let text): Double(text)
        default: nil
        }
    }
}
