import Glibc
import HoldfastQuery
import Testing

@Suite("Stack")
struct StackTests {
    @Test("a query at the nesting limit is compiled and evaluated on a stack of 4 MiB")
    func depth() {
        var attributes = pthread_attr_t()
        #expect(pthread_attr_init(&attributes) == 0)
        #expect(pthread_attr_setstacksize(&attributes, 4 << 20) == 0)
        var thread = pthread_t()
        let created = pthread_create(
            &thread, &attributes,
            { _ in
                let world = World(people: [Person(1)])
                for (open, close) in [
                    ("(", ")"), ("!(", ")"), ("_id == 2 OR (_id == 1 AND (", "))"),
                ] {
                    let depth = open.count == 2 ? 250 : open.count == 1 ? 500 : 250
                    let text =
                        String(repeating: open, count: depth) + "_id == 1"
                        + String(repeating: close, count: depth)
                    let found = try? world.ids(text)
                    if found != [1] { return UnsafeMutableRawPointer(bitPattern: 1) }
                }
                return nil
            }, nil)
        #expect(created == 0)
        var result: UnsafeMutableRawPointer?
        #expect(pthread_join(thread, &result) == 0)
        #expect(result == nil)
    }
}
