import HoldfastText
import Testing

@Suite("The nearest name")
struct NearestNameTests {
    private static let known = ["Country", "City", "Trip", "Tie", "population", "Ok", "Am"]

    @Test(
        "is a known name that differs in few letters, or of which the name is the plural",
        arguments: [
            ("city", "City"), ("Ctiy", "City"), ("Citys", "City"), ("Trips", "Trip"),
            ("cities", "City"), ("CITIES", "City"), ("countries", "Country"), ("ties", "Tie"),
            ("popluation", "population"), ("Movie", nil), ("movies", nil), ("ies", nil),
            ("foo", nil), ("bar", nil),
            ("Parties", nil), ("", nil),
        ] as [(String, String?)])
    func nearest(name: String, known: String?) {
        #expect(NearestName.of(name, among: Self.known) == known, "\(name)")
    }
}
