@testable import HoldfastAccess
import HoldfastObjectModel
import HoldfastQuery
import Testing

@testable import HoldfastStoreService

@Suite("What is kept of the views of users")
struct VisibilityWeightTests {
    @Test("a view counts for more where rules read many or large values of its user")
    func weight() {
        func weight(_ values: UserValue?...) -> Int {
            VisibilityCache.Key(
                isUser: true, token: nil, classes: [], values: values
            ).weight
        }
        let text = Value.string(String(repeating: "y", count: 1 << 20))
        #expect(weight() == 1 && weight(nil, .one(.int(1)), .one(.string("ann"))) == 1)
        #expect(weight(.many(Array(repeating: .int(1), count: 1600))) == 101)
        #expect(
            weight(.one(text)) == 2049
                && weight(.one(.data([UInt8](repeating: 0, count: 5120)))) == 11)
        #expect(weight(.many([text, text]), .one(text)) == 1 + 3 * 2048)
    }
}
