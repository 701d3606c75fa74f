import HoldfastGeometry
import HoldfastTestSupport
import Testing

extension GeoPoint {
    fileprivate init(_ place: Place) {
        self.init(longitude: place.longitude, latitude: place.latitude)
    }

    fileprivate var place: Place { Place(longitude, latitude) }

    fileprivate func moved(_ distance: Double, bearing: Double) -> GeoPoint {
        GeoPoint(place.moved(distance, bearing: bearing))
    }

    fileprivate static func random(_ random: inout SeededGenerator) -> GeoPoint {
        GeoPoint(Place.random(&random))
    }
}

@Suite("regions")
struct RegionTests {
    private func point(_ longitude: Double, _ latitude: Double) -> GeoPoint {
        GeoPoint(longitude: longitude, latitude: latitude)
    }

    private func ring(_ coordinates: [(Double, Double)]) -> [GeoPoint] {
        coordinates.map { point($0.0, $0.1) }
    }

    private func square(_ from: Double, _ to: Double) -> [GeoPoint] {
        ring([(from, from), (to, from), (to, to), (from, to), (from, from)])
    }

    // MARK: Against plain mathematics

    @Test("a circle holds the points within its angle")
    func circles() throws {
        var random = SeededGenerator(seed: 1)
        var (inside, outside) = (0, 0)
        for round in 0..<300 {
            let center = GeoPoint.random(&random)
            let radians = Double.random(
                in: 0...([0.001, 0.1, 1, 3.2][round % 4]), using: &random)
            let region = try GeoRegion(.circle(center: center, radians: radians))
            let cover = region.cover()
            for try_ in 0..<200 {
                let asked =
                    try_ % 2 == 0
                    ? GeoPoint.random(&random)
                    : center.moved(
                        min(radians * .random(in: 0...2, using: &random), .pi),
                        bearing: .random(in: 0...6.28, using: &random))
                let angle = asked.place.angle(to: center.place)
                guard abs(angle - radians) > 1e-7 else { continue }
                let isInside = region.contains(
                    longitude: asked.longitude, latitude: asked.latitude)
                #expect(isInside == (angle < radians), "\(region.shape) \(asked)")
                expectCovered(region, cover, asked, isInside)
                if isInside { inside += 1 } else { outside += 1 }
            }
        }
        #expect(inside > 10_000 && outside > 10_000)
    }

    @Test("a polygon holds the points that its great circles go around, whatever its direction")
    func polygons() throws {
        var random = SeededGenerator(seed: 2)
        var (inside, outside) = (0, 0)
        for round in 0..<300 {
            let center = GeoPoint.random(&random)
            let size = [0.0005, 0.02, 0.4, 1.2][round % 4]
            let count = Int.random(in: 3...([8, 60][round / 4 % 2]), using: &random)
            var star = (0..<count).map { index in
                center.moved(
                    size * .random(in: 0.3...1, using: &random),
                    bearing: (Double(index) + .random(in: 0...0.9, using: &random))
                        / Double(count) * 2 * .pi)
            }
            if Bool.random(using: &random) { star.reverse() }
            star.append(star[0])
            let plain = PlainRing(star.map(\.place), around: center.place)
            // A ring of few vertices may leave its centre on one side.
            guard let region = try? GeoRegion(.polygon([star])) else { continue }
            let cover = region.cover()
            for try_ in 0..<200 {
                let asked =
                    try_ % 4 == 0
                    ? GeoPoint.random(&random)
                    : center.moved(
                        size * .random(in: 0...1.3, using: &random),
                        bearing: .random(in: 0...6.28, using: &random))
                guard plain.distanceToBorder(asked.place) > 1e-9 else { continue }
                let isInside = region.contains(
                    longitude: asked.longitude, latitude: asked.latitude)
                #expect(isInside == plain.contains(asked.place), "\(region.shape) \(asked)")
                expectCovered(region, cover, asked, isInside)
                if isInside { inside += 1 } else { outside += 1 }
            }
        }
        #expect(inside > 10_000 && outside > 10_000)
    }

    /// A point of the region lies in its cover.
    private func expectCovered(
        _ region: GeoRegion, _ cover: [ClosedRange<UInt64>], _ point: GeoPoint, _ isInside: Bool
    ) {
        guard isInside, let cell = point.leafCell else { return }
        #expect(cover.contains { $0.contains(cell) }, "\(region.shape) \(point)")
        #expect(region.roughCover().contains { $0.contains(cell) }, "\(region.shape) \(point)")
    }

    @Test("a hole is not part of the region, what lies beside it is")
    func holes() throws {
        let region = try GeoRegion(
            .polygon([square(0, 10), square(2, 4), square(6, 8).reversed()]))
        for (place, isInside) in [
            ((1.0, 1.0), true), ((3.0, 3.0), false), ((5.0, 5.0), true), ((7.0, 7.0), false),
            ((9.0, 9.0), true), ((11.0, 11.0), false), ((-3.0, 3.0), false),
        ] {
            #expect(
                region.contains(longitude: place.0, latitude: place.1) == isInside, "\(place)")
        }
    }

    // MARK: Rules

    @Test("the edges of a box are great circles, not parallels")
    func boxEdges() throws {
        let region = try GeoRegion(.box(bottomLeft: point(0, 10), topRight: point(60, 50)))
        #expect(region.contains(longitude: 30, latitude: 50.5))
        #expect(!region.contains(longitude: 30, latitude: 10.5))
        #expect(region.contains(longitude: 30, latitude: 12))
        #expect(!region.contains(longitude: 1, latitude: 50.5))
    }

    @Test("a box of more than half the world is refused, and a ring stands for the smaller side")
    func hemispheres() throws {
        #expect(throws: GeoFault.self) {
            try GeoRegion(.box(bottomLeft: point(-170, -60), topRight: point(170, 60)))
        }
        let across = try GeoRegion(
            .polygon([
                ring([(178, 10), (-178, 10), (-178, -10), (178, -10), (178, 10)])
            ]))
        #expect(across.contains(longitude: 180, latitude: 0))
        #expect(across.contains(longitude: -180, latitude: 0))
        #expect(across.contains(longitude: -179, latitude: 1))
        #expect(!across.contains(longitude: 0, latitude: 0))
    }

    @Test("of boxes that share a corner exactly one has it")
    func corners() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let (x, y) = (
                Double(Int.random(in: -170...170, using: &random)),
                Double(Int.random(in: -80...80, using: &random))
            )
            let holders = try [(-1.0, -1.0), (0, -1), (-1, 0), (0, 0)].map { (dx, dy) in
                try GeoRegion(
                    .box(
                        bottomLeft: point(x + dx, y + dy), topRight: point(x + dx + 1, y + dy + 1)))
            }.filter { $0.contains(longitude: x, latitude: y) }
            #expect(holders.count == 1, "\(x) \(y)")
        }
    }

    @Test("around a pole, and at it")
    func poles() throws {
        let cap = try GeoRegion(
            .polygon([ring([(0, 80), (90, 80), (180, 80), (-90, 80), (0, 80)])]))
        for longitude in stride(from: -180.0, through: 180, by: 30) {
            #expect(cap.contains(longitude: longitude, latitude: 90))
            #expect(cap.contains(longitude: longitude, latitude: 89.95))
            #expect(cap.contains(longitude: longitude, latitude: 85))
            #expect(!cap.contains(longitude: longitude, latitude: 79))
        }
        let circle = try GeoRegion(.circle(center: point(17, -90), radians: 0.1))
        #expect(circle.contains(longitude: -100, latitude: -85))
        #expect(!circle.contains(longitude: -100, latitude: -84))
    }

    @Test("a circle of no radius holds its centre, one of pi and more everything")
    func extremeCircles() throws {
        let none = try GeoRegion(.circle(center: point(13.4, 52.5), radians: 0))
        #expect(none.contains(longitude: 13.4, latitude: 52.5))
        #expect(!none.contains(longitude: 13.400001, latitude: 52.5))
        expectCovered(none, none.cover(), point(13.4, 52.5), true)
        for radians in [Double.pi, 10, 1e300] {
            let all = try GeoRegion(.circle(center: point(13.4, 52.5), radians: radians))
            var random = SeededGenerator(seed: 4)
            for _ in 0..<100 {
                let asked = GeoPoint.random(&random)
                #expect(all.contains(longitude: asked.longitude, latitude: asked.latitude))
                expectCovered(all, all.cover(), asked, true)
            }
        }
    }

    @Test("what is not on the Earth is in no region and no cell")
    func invalidPoints() throws {
        let all = try GeoRegion(.circle(center: point(0, 0), radians: 4))
        for (longitude, latitude) in [
            (180.000001, 0), (0, 90.000001), (-181, 0), (0, -91), (.nan, 0), (0, .nan),
            (.infinity, 0), (0, -.infinity), (1e300, 1e300),
        ] as [(Double, Double)] {
            #expect(!all.contains(longitude: longitude, latitude: latitude))
            #expect(point(longitude, latitude).leafCell == nil)
            #expect(!point(longitude, latitude).isValid)
        }
        for (longitude, latitude) in [(180.0, 90.0), (-180, -90), (0, 0), (180, -90)] {
            #expect(point(longitude, latitude).leafCell != nil)
            #expect(all.contains(longitude: longitude, latitude: latitude))
        }
    }

    @Test("a cover has few ranges, in order")
    func covers() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let center = GeoPoint.random(&random)
            let region = try GeoRegion(
                .circle(center: center, radians: .random(in: 0...0.5, using: &random)))
            let cover = region.cover()
            #expect((1...32).contains(cover.count))
            for (a, b) in zip(cover, cover.dropFirst()) {
                #expect(a.upperBound < b.lowerBound)
            }
        }
    }

    // MARK: Faults

    @Test("a shape that is no region is refused with the reason")
    func faults() {
        let outer = square(0, 10)
        for (shape, reason) in [
            (.polygon([]), "Polygon has no rings."),
            (.polygon([[]]), "Ring has no vertices"),
            (.polygon([square(0, 1).dropLast()]), "Ring is not closed, first vertex '[0.0, 0.0]'"),
            (
                .polygon([ring([(0, 0), (1, 1), (0, 0)])]),
                "Ring 0 must have at least 3 different vertices, 2 unique vertices were provided"
            ),
            (
                .polygon([ring([(0, 0), (0, 0), (1, 1), (1, 1), (0, 0)])]),
                "Ring 0 must have at least 3 different vertices, 2 unique"
            ),
            (.polygon([[point(0, 0)]]), "Ring 0 must have at least 3 different vertices, 0 unique"),
            (
                .polygon([ring([(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)])]),
                "Ring 0 is not valid: 'Edge 0 crosses edge 2'"
            ),
            (
                .polygon([ring([(0, 0), (1, 0), (1, 1), (0, 0), (-1, 1), (-1, 0), (0, 0)])]),
                "Ring 0 is not valid: "
            ),
            (
                .polygon([outer, square(20, 30)]),
                "Secondary ring 1 not contained by first exterior ring"
            ),
            (.polygon([outer, square(5, 15)]), "Secondary ring 1 not contained"),
            (.polygon([outer, square(2, 4), square(3, 5)]), "Polygon isn't valid: "),
            (
                .polygon([outer, square(2, 6), square(3, 4)]),
                "Polygon interior rings cannot be nested"
            ),
            (.polygon([outer, ring([(0, 0), (10, 0), (5, 5), (0, 0)])]), "Polygon isn't valid: "),
            (
                .polygon([outer, ring([(0, 0), (10, 10), (5, 7), (0, 0)])]),
                "Polygon is not normalized: a hole shares more than one vertex"
            ),
            (
                .polygon([ring([(0, 0), (181, 0), (1, 1), (0, 0)])]),
                "Longitude/latitude is out of bounds, lng: 181.0 lat: 0.0"
            ),
            (
                .box(bottomLeft: point(0, 0), topRight: point(0, -91)),
                "Longitude/latitude is out of bounds, lng: 0.0 lat: -91.0"
            ),
            (
                .box(bottomLeft: point(1, 1), topRight: point(1, 1)),
                "Ring 0 must have at least 3 different vertices, 1 unique"
            ),
            (.box(bottomLeft: point(1, 1), topRight: point(1, 2)), "Ring 0"),
            (.circle(center: point(0, 100), radians: 1), "out of bounds, lng: 0.0 lat: 100.0"),
            (.circle(center: point(.nan, 0), radians: 1), "out of bounds"),
            (
                .circle(center: point(0, 0), radians: -0.1),
                "The radius of a circle must be a non-negative number"
            ),
            (.circle(center: point(0, 0), radians: .nan), "The radius of a circle"),
            (.circle(center: point(0, 0), radians: .infinity), "The radius of a circle"),
        ] as [(GeoShape, String)] {
            do {
                _ = try GeoRegion(shape)
                Issue.record("\(shape) is no region")
            } catch {
                #expect(
                    error.message.contains(reason),
                    "\(shape): \(error.message)")
                #expect(!error.isLimit)
            }
        }
    }

    @Test(
        "a polygon may have thousands of edges close beside each other, but not so many that comparing them takes long"
    )
    func dense() throws {
        /// A comb with the given number of edges, all of them close to each other.
        func comb(_ count: Int) -> GeoShape {
            let teeth = (0..<count).map {
                point(5 + 10 * Double($0) / Double(count), $0 % 2 == 0 ? 48 : 52)
            }
            return .polygon([teeth + [point(16, 47), point(4, 47), teeth[0]]])
        }
        let region = try GeoRegion(comb(2_000))
        #expect(region.contains(longitude: 5, latitude: 47.5))
        do {
            _ = try GeoRegion(comb(9_990))
            Issue.record("comparing its edges takes seconds")
        } catch {
            #expect(error.isLimit)
            #expect(error.message.contains("teeth of a comb"), "\(error.message)")
        }
    }

    @Test("a polygon has as many points and rings as is allowed, and not one more")
    func limits() throws {
        func circle(_ count: Int, around center: GeoPoint, _ radians: Double) -> [GeoPoint] {
            let points = (0..<count).map {
                center.moved(radians, bearing: Double($0) / Double(count) * 2 * .pi)
            }
            return points + [points[0]]
        }
        let region = try GeoRegion(
            .polygon([circle(GeoRegion.pointCountMax - 1, around: point(5, 5), 0.3)]))
        #expect(region.contains(longitude: 5, latitude: 5))
        #expect(!region.contains(longitude: 5, latitude: 25))
        do {
            _ = try GeoRegion(
                .polygon([circle(GeoRegion.pointCountMax, around: point(5, 5), 0.3)]))
            Issue.record("that is one point too many")
        } catch {
            #expect(error.isLimit)
        }
        func withHoles(_ count: Int) -> GeoShape {
            let holes = (0..<count).map { index in
                circle(
                    3, around: point(Double(index % 40), Double(index / 40) - 10), 0.002)
            }
            return .polygon([circle(40, around: point(20, 2), 1)] + holes)
        }
        let cheese = try GeoRegion(withHoles(GeoRegion.ringCountMax - 1))
        #expect(!cheese.contains(longitude: 7, latitude: 3))
        #expect(cheese.contains(longitude: 7.5, latitude: 3.5))
        do {
            _ = try GeoRegion(withHoles(GeoRegion.ringCountMax))
            Issue.record("that is one ring too many")
        } catch {
            #expect(error.isLimit)
        }
    }
}
