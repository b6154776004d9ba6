package io.konduit.queue.build;

import java.io.IOException;
import java.io.StringReader;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Finds elements in a pom. */
final class PomXml {
    private PomXml() {}

    static Element parse(String file, String text) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder()
                    .parse(new InputSource(new StringReader(text)))
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new IllegalStateException(file + " cannot be parsed: " + e.getMessage(), e);
        }
    }

    static String coordinates(Element dependency) {
        return text(dependency, "groupId") + ":" + text(dependency, "artifactId");
    }

    static String text(Element parent, String child) {
        return elements(parent, child)
                .map(element -> element.getTextContent().strip())
                .findFirst()
                .orElse("");
    }

    /** The elements at the end of a path of child names; {@code *} stands for any. */
    static Stream<Element> elements(Element parent, String... path) {
        Stream<Element> found = Stream.of(parent);
        for (String name : path) {
            found = found.flatMap(element -> {
                NodeList children = element.getChildNodes();
                return IntStream.range(0, children.getLength())
                        .mapToObj(children::item)
                        .filter(Element.class::isInstance)
                        .map(Element.class::cast)
                        .filter(child -> name.equals("*") || name.equals(child.getNodeName()));
            });
        }
        return found;
    }

    static Stream<Element> descendants(Element ancestor, String name) {
        NodeList found = ancestor.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
    }
}
